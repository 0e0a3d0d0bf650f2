/* SPDX-License-Identifier: MIT */
#include "data/workload_files.h"

#include <stddef.h>

#include "base/interrupt.h"
#include "base/message.h"
#include "cmd/commands.h"
#include "data/switch_rows.h"
#include "print/analysis_print.h"
#include "print/dataset_report.h"
#include "print/print.h"
#include "print/terminal.h"

struct split_command {
	const char *output_directory, *columns, *instance;
};

static const struct option split_command_options[] = {
    OPTION(struct split_command, output_directory, "output-dir", .letter = 'o', .argument = "DIR",
	   .help = "output directory (default: the current one)"),
    OPTION_CHOICES(struct split_command, columns, "columns", CSV_LAYOUTS, .argument = "SET",
		   .help = "columns of traces, as in build; a CSV keeps its own", .fallback = "standard"),
    OPTION_INSTANCE(struct split_command, instance),
    {.name = NULL},
};

static void add_file(void *context, const char *name, uint64_t rows, uint64_t bytes)
{
	struct table *files = context;

	table_string(files, name);
	TABLE_NUMBERS(files, rows, bytes);
}

static int run_split(const struct call *call)
{
	struct split_command *given = call->values;
	struct table files;
	struct buffer out = {0};
	struct error err = {0};

	const struct workload_files_request request = {
	    .files = call->operands.items,
	    .file_count = call->operands.count,
	    .output_directory = given->output_directory,
	    .columns = switch_columns(given->columns),
	    .made = add_file,
	    .context = &files,
	};
	interrupt_catch();
	files = table_of(dataset_file_columns);
	const enum status status = workload_files_write(&request, &err);
	if (status == STATUS_OK && message_level() != MESSAGE_QUIET)
		table_write_text(&files, terminal_width(), &out);
	table_free(&files);
	return status == STATUS_OK ? print_buffer(&out) : message_error(&err);
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
    .examples = "  picknext split out/all.csv                  # hackbench_pipe_small.csv and so on, here\n"
		"  picknext split out/train.csv -o by-workload\n"
		"  picknext split out/raw/*.dat -o by-workload --columns extended",
    .options = split_command_options,
    .values_size = sizeof(struct split_command),
    .run = run_split,
};
