/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "base/file.h"
#include "base/interrupt.h"
#include "base/message.h"
#include "base/sink.h"
#include "cmd/commands.h"
#include "dataset/trace_rows.h"
#include "term/print.h"

#define WORKLOADS_MOST 256

struct split_command {
	const char *output_directory, *columns;
};

static const struct option split_command_options[] = {
    {.name = "output-dir",
     .letter = 'o',
     .kind = OPTION_TEXT,
     .offset = offsetof(struct split_command, output_directory),
     .argument = "DIR",
     .help = "where the files are written (default: where the first FILE is)"},
    {.name = "columns",
     .kind = OPTION_CHOICE,
     .offset = offsetof(struct split_command, columns),
     .argument = "SET",
     .help = "of traces: which columns, as of build; a CSV keeps its own",
     .fallback = "standard",
     .choices = "standard|extended"},
    {.name = NULL},
};

/* The rows of one workload. */
struct part {
	char *workload;
	struct sink sink;
	uint64_t rows;
};

struct splitting {
	const char *directory;
	struct buffer header;
	const struct input *input;
	const struct operands *operands;
	struct part parts[WORKLOADS_MOST];
	size_t count;
	struct part *last; /* rows of one workload follow one another */
};

/* What cannot stand in a file's name, or would hide it, becomes %XX. */
static void add_file_name(const char *workload, struct buffer *out)
{
	for (const char *at = workload; *at; at++) {
		unsigned char byte = (unsigned char)*at;
		if (byte < ' ' || byte == 0x7f || byte == '/' || byte == '%' || (byte == '.' && at == workload))
			buffer_printf(out, "%%%02X", byte);
		else
			buffer_add(out, at, 1);
	}
	buffer_text(out, ".csv");
}

/* Also what was read before, or is yet to be. */
static bool is_read(const struct splitting *splitting, const char *path)
{
	bool found = false;

	for (size_t i = 0; i < splitting->operands->count; i++)
		found |= file_same(splitting->operands->items[i], path);
	return found || input_is_file(splitting->input, path);
}

static enum status open_part(struct splitting *splitting, const char *workload, struct part **part, struct error *err)
{
	struct buffer name = {0};
	char path[PATH_MAX];

	if (splitting->count == WORKLOADS_MOST)
		return error_set(err, STATUS_UNSUPPORTED, splitting->input->name, "more than %d workloads",
				 WORKLOADS_MOST);
	*part = &splitting->parts[splitting->count];
	add_file_name(workload, &name);
	enum status status = name.failed ? error_system(err, ENOMEM, workload, "cannot split")
					 : file_join(path, sizeof(path), splitting->directory, name.data, err);
	buffer_free(&name);
	if (status == STATUS_OK && is_read(splitting, path)) {
		error_set(err, STATUS_USAGE, path, "is what is being read");
		return error_remedy(err, "choose another directory with -o");
	}
	if (status == STATUS_OK)
		status = sink_open(&(*part)->sink, path, err);
	if (status != STATUS_OK)
		return status;
	splitting->count++;
	(*part)->workload = strdup(workload);
	buffer_add(&(*part)->sink.pending, splitting->header.data, splitting->header.length);
	return (*part)->workload ? STATUS_OK : error_system(err, ENOMEM, path, "cannot split");
}

static enum status find_part(struct splitting *splitting, const struct csv_record *record, struct part **part,
			     struct error *err)
{
	char workload[NAME_MAX + 1];
	size_t length = csv_unquote(&record->fields[CSV_WORKLOAD_TYPE], workload, sizeof(workload) - 1);

	if (length == SIZE_MAX || memchr(workload, '\0', length))
		return error_set(err, STATUS_CORRUPT, splitting->input->name,
				 "a workload_type that cannot be a file's name");
	workload[length] = '\0';
	*part = splitting->last;
	if (*part && strcmp((*part)->workload, workload) == 0)
		return STATUS_OK;
	for (size_t i = 0; i < splitting->count; i++) {
		*part = &splitting->parts[i];
		if (strcmp((*part)->workload, workload) == 0)
			return STATUS_OK;
	}
	return open_part(splitting, workload, part, err);
}

static enum status put(void *context, const struct csv_record *record, struct error *err)
{
	struct splitting *splitting = context;
	struct part *part;
	enum status status = find_part(splitting, record, &part, err);

	if (status != STATUS_OK)
		return status;
	splitting->last = part;
	part->rows++;
	buffer_add(&part->sink.pending, record->whole.bytes, record->whole.length);
	if (record->whole.length && record->whole.bytes[record->whole.length - 1] != '\n')
		buffer_text(&part->sink.pending, "\r\n");
	return sink_write_if_full(&part->sink, err);
}

/* All inputs have to have the same columns. */
static enum status check_header(struct splitting *splitting, const struct trace_rows *rows, struct error *err)
{
	struct buffer header = {0};
	enum status status = STATUS_OK;

	trace_rows_header(rows, &header);
	if (header.failed)
		status = error_system(err, ENOMEM, rows->input->name, "cannot split");
	else if (!splitting->header.length)
		buffer_add(&splitting->header, header.data, header.length);
	else if (header.length != splitting->header.length ||
		 memcmp(header.data, splitting->header.data, header.length) != 0)
		status = error_set(err, STATUS_USAGE, rows->input->name, "has other columns than the file before it");
	buffer_free(&header);
	return status;
}

static enum status split_input(struct splitting *splitting, const struct split_command *given, const char *operand,
			       struct error *err)
{
	struct input input;
	const struct trace_rows rows = {
	    .input = &input,
	    .extended = strcmp(given->columns, "extended") == 0,
	    .put = put,
	    .context = splitting,
	};
	enum status status = input_open_or(&input, operand, csv_is_dataset, err);

	if (status != STATUS_OK)
		return status;
	splitting->input = &input;
	status = check_header(splitting, &rows, err);
	if (status == STATUS_OK)
		status = trace_rows_read(&rows, err);
	input_close(&input);
	return status;
}

static int compare_parts(const void *left, const void *right)
{
	const struct part *a = left;
	const struct part *b = right;

	return strcmp(a->workload, b->workload);
}

/* Puts all files in place, or none of those that are left after a failure. */
static enum status finish(struct splitting *splitting, enum status status, struct buffer *table, struct error *err)
{
	char safe[4 * NAME_MAX + 1];

	if (status == STATUS_OK)
		qsort(splitting->parts, splitting->count, sizeof(splitting->parts[0]), compare_parts);
	buffer_printf(table, "%-32s %14s %14s\n", "FILE", "ROWS", "BYTES");
	for (size_t i = 0; i < splitting->count; i++) {
		struct part *part = &splitting->parts[i];
		struct buffer name = {0};
		if (status == STATUS_OK) {
			uint64_t bytes = part->sink.written + part->sink.pending.length;
			add_file_name(part->workload, &name);
			escape_line(name.data ? name.data : "", name.length, safe, sizeof(safe));
			buffer_printf(table, "%-32s %14" PRIu64 " %14" PRIu64 "\n", safe, part->rows, bytes);
			status = sink_finish(&part->sink, err);
		} else {
			sink_discard(&part->sink);
		}
		buffer_free(&name);
		free(part->workload);
	}
	return status;
}

static enum status split_all(const struct split_command *given, const struct operands *operands, struct buffer *table,
			     struct error *err)
{
	struct splitting *splitting = calloc(1, sizeof(*splitting));
	const char *first = operands->items[0];
	const char *slash = strrchr(first, '/');
	char *beside = slash ? strndup(first, (size_t)(slash - first) + 1) : strdup(".");
	enum status status = splitting && beside ? STATUS_OK : error_system(err, ENOMEM, NULL, "cannot split");

	if (status == STATUS_OK) {
		splitting->operands = operands;
		splitting->directory = given->output_directory ? given->output_directory : beside;
		status = file_make_directories(splitting->directory, err);
	}
	for (size_t i = 0; i < operands->count && status == STATUS_OK; i++)
		status = split_input(splitting, given, operands->items[i], err);
	if (splitting) {
		status = finish(splitting, status, table, err);
		buffer_free(&splitting->header);
	}
	free(splitting);
	free(beside);
	return status;
}

static int run(const struct command *command, int argc, char **argv)
{
	struct split_command given = {0};
	struct operands operands;
	struct buffer table = {0};
	int exit_code;
	struct error err = {0};

	if (!options_begin(command, &given, argc, argv, &operands, &exit_code))
		return exit_code;
	interrupt_catch();
	if (split_all(&given, &operands, &table, &err) != STATUS_OK) {
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
    .least_operands = 1,
    .most_operands = SIZE_MAX,
    .details =
	"FILE is a CSV that build made, such as all.csv, or a trace. The rows of workload_type NAME go to NAME.csv, "
	"in\n"
	"their order and under the same header, whichever trace they are of. A byte that cannot stand in a file's\n"
	"name (/, %, a control character, a . at the front) becomes %XX there.",
    .examples = "  picknext split out/all.csv                  # out/hackbench_pipe_small.csv and so on\n"
		"  picknext split out/train.csv -o by-workload\n"
		"  picknext split out/raw/*.dat -o by-workload --columns extended",
    .options = split_command_options,
    .run = run,
};
