/* SPDX-License-Identifier: MIT */
#include "data/workload_files.h"

#include <inttypes.h>
#include <limits.h>
#include <stddef.h>
#include <string.h>

#include "base/escape.h"
#include "base/interrupt.h"
#include "base/message.h"
#include "cmd/commands.h"
#include "print/dataset_report.h"
#include "print/print.h"

struct split_command {
	const char *output_directory, *columns;
};

static const struct option split_command_options[] = {
    OPTION(struct split_command, output_directory, "output-dir", .letter = 'o', .argument = "DIR",
	   .help = "output directory (default: that of the first FILE)"),
    OPTION_CHOICES(struct split_command, columns, "columns", CSV_LAYOUTS, .argument = "SET",
		   .help = "columns of traces, as in build; a CSV keeps its own", .fallback = "standard"),
    {.name = NULL},
};

static void add_file(void *context, const char *name, uint64_t rows, uint64_t bytes)
{
	char safe[4 * NAME_MAX + 1];

	escape_line(name, strlen(name), safe, sizeof(safe));
	buffer_printf(context, "%-32s %14" PRIu64 " %14" PRIu64 "\n", safe, rows, bytes);
}

static int run_split(const struct call *call)
{
	struct split_command *given = call->values;
	struct buffer table = {0};
	struct error err = {0};

	const struct workload_files_request request = {
	    .files = call->operands.items,
	    .file_count = call->operands.count,
	    .output_directory = given->output_directory,
	    .columns = csv_layout_of(given->columns),
	    .listener = &dataset_messages,
	    .made = add_file,
	    .context = &table,
	};
	interrupt_catch();
	buffer_printf(&table, "%-32s %14s %14s\n", "FILE", "ROWS", "BYTES");
	if (workload_files_write(&request, &err) != STATUS_OK) {
		buffer_free(&table);
		return message_error(&err);
	}
	if (message_level() != MESSAGE_QUIET)
		return print_buffer(&table);
	buffer_free(&table);
	return 0;
}

const struct command command_split = {
    .name = "split",
    .summary = "write the rows of each workload to a CSV of its own",
    .operands = "FILE...|-",
    .operands_min = 1,
    .operands_max = SIZE_MAX,
    .details =
	"FILE is a CSV that build made, such as all.csv, or a trace. The rows of workload_type NAME of all traces\n"
	"go to NAME.csv, in their order and under the same header. Bytes that a file name cannot have (/, %,\n"
	"control characters, a leading .) become %XX.",
    .examples = "  picknext split out/all.csv                  # out/hackbench_pipe_small.csv and so on\n"
		"  picknext split out/train.csv -o by-workload\n"
		"  picknext split out/raw/*.dat -o by-workload --columns extended",
    .options = split_command_options,
    .values_size = sizeof(struct split_command),
    .run = run_split,
};
