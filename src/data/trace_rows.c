/* SPDX-License-Identifier: MIT */
#include "data/trace_rows.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/json.h"
#include "base/memory.h"
#include "base/message.h"
#include "data/rows.h"

void trace_rows_header(const struct trace_rows *rows, struct buffer *out)
{
	struct csv_reader reader;

	if (rows->input->kind != INPUT_OTHER) {
		columns_add_header(rows->columns, out);
		return;
	}
	csv_reader_open(&reader, rows->input->file.bytes, rows->input->file.length, rows->input->name);
	buffer_add(out, reader.header.bytes, reader.header.length);
	buffer_text(out, "\r\n");
}

static enum status read_records(const struct trace_rows *rows, struct error *err)
{
	struct csv_reader reader;
	struct csv_record record;
	enum status status;

	csv_reader_open(&reader, rows->input->file.bytes, rows->input->file.length, rows->input->name);
	while ((status = csv_reader_next(&reader, &record, err)) == STATUS_OK) {
		status = rows->record(rows->context, &record, err);
		if (status == STATUS_OK)
			status = input_step(rows->input, err);
		if (status != STATUS_OK)
			return status;
	}
	return status == STATUS_END ? STATUS_OK : status;
}

/* The directory of a file that is read by its path, with a slash, or "."; NULL for input without a path, such as a
 * pipe. */
static const char *directory_of(const struct input *input, char directory[PATH_MAX])
{
	const char *slash = strrchr(input->name, '/');

	if (!input->inode || strcmp(input->name, INPUT_STANDARD) == 0 || (slash && slash - input->name > PATH_MAX - 2))
		return NULL;
	size_t length = slash ? (size_t)(slash - input->name) + 1 : 0;
	memcpy(directory, input->name, length);
	memcpy(directory + length, length ? "" : ".", length ? 1 : 2);
	return directory;
}

static void warn_of(const struct input *input, const struct json_value *json, const char *key, const char *finding,
		    const char *path)
{
	size_t count = 0;
	const struct json_value *list = json_member(json, key);

	for (const struct json_value *trace = list ? list->child : NULL; trace; trace = trace->next)
		count++;
	if (count)
		message_warning("%s: %zu traces of this dataset %s: see %s in %s", input->name, count, finding, key,
				path);
}

/* Warns of findings that rows of a dataset do not show, but dataset_meta.json in the same directory does. */
static void warn_of_dataset(const struct input *input)
{
	char directory[PATH_MAX];
	char path[PATH_MAX];
	struct json_value *json;

	if (!directory_of(input, directory) ||
	    file_join(path, sizeof(path), directory, "dataset_meta.json", NULL) != STATUS_OK ||
	    json_read_file(path, &json, NULL) != STATUS_OK)
		return;
	warn_of(input, json, "lossy_traces", "lost events", path);
	warn_of(input, json, "failed_traces", "are of commands that failed", path);
	warn_of(input, json, "followed_traces", "have rows of followed tasks only (record --pid)", path);
	json_free(json);
}

/* Sets the labels that a build gives the trace: its id, and those of its JSON. */
static enum status label(const struct trace_rows *rows, struct dataset_trace *trace, struct error *err)
{
	char directory[PATH_MAX];
	const char *path = rows->input->name;
	const char *beside = directory_of(rows->input, directory);
	const char *slash = beside ? strrchr(path, '/') : NULL;
	const char *name = slash ? slash + 1 : path;
	const char *ending = strrchr(name, '.');

	trace->run.path = xstrdup(path);
	trace->run.id = rows->trace_id ? xstrdup(rows->trace_id)
			: !beside      ? xstrdup("stdin")
				  : xstrndup(name, ending && ending > name ? (size_t)(ending - name) : strlen(name));
	return dataset_trace_label(beside, trace, err);
}

static enum status read_trace(const struct trace_rows *rows, struct dataset_trace *trace, struct error *err)
{
	struct rows made = {
	    .kind = &switch_rows,
	    .trace = trace,
	    .input = rows->input,
	    .columns = rows->columns,
	    .put = rows->put,
	    .take = rows->take,
	    .context = rows->context,
	};
	enum status status = label(rows, trace, err);

	if (status == STATUS_OK)
		status = rows_read(&made, err);
	if (status != STATUS_OK)
		return status;
	trace_report_findings(NULL, trace);
	if (losses_any(&trace->run.losses)) {
		struct buffer lost = {0};
		losses_describe(&trace->run.losses, &lost);
		message_warning("%s: lost %s", rows->input->name, lost.data);
		buffer_free(&lost);
	}
	return STATUS_OK;
}

enum status trace_rows_read(const struct trace_rows *rows, struct error *err)
{
	struct dataset_trace trace = {.run.is_text = rows->input->kind == INPUT_TEXT};

	if (rows->input->kind == INPUT_OTHER) {
		warn_of_dataset(rows->input);
		return read_records(rows, err);
	}
	enum status status = read_trace(rows, &trace, err);
	dataset_trace_free(&trace);
	return status;
}
