/* SPDX-License-Identifier: MIT */
#include "cmd/trace_rows.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/dataset_report.h"
#include "dataset/notice.h"
#include "dataset/rows.h"

void trace_rows_header(const struct trace_rows *rows, struct buffer *out)
{
	struct csv_reader reader;

	if (rows->input->kind != INPUT_CSV) {
		csv_add_header(out, rows->extended);
		return;
	}
	csv_reader_open(&reader, rows->input->file.bytes, rows->input->file.length, rows->input->name);
	buffer_add(out, reader.header.bytes, reader.header.length);
	buffer_text(out, "\r\n");
}

static enum status put_all(const struct trace_rows *rows, struct csv_reader *reader, struct error *err)
{
	struct csv_record record;
	enum status status;

	while ((status = csv_reader_next(reader, &record, err)) == STATUS_OK) {
		status = rows->put(rows->context, &record, err);
		if (status == STATUS_OK)
			status = input_step(rows->input, err);
		if (status != STATUS_OK)
			return status;
	}
	return status == STATUS_END ? STATUS_OK : status;
}

static enum status put_rows(void *context, const struct trace *trace, const struct buffer *bytes, uint64_t count,
			    struct error *err)
{
	struct csv_reader reader = {.name = trace->path, .at = bytes->data, .end = bytes->data + bytes->length};

	return count ? put_all(context, &reader, err) : STATUS_OK;
}

/* The trace as build would find it: its id, and the labels of the JSON beside it. */
static enum status label(const struct trace_rows *rows, struct trace *trace, struct error *err)
{
	const char *path = rows->input->name;
	bool is_file = rows->input->inode != 0 && strcmp(path, "standard input") != 0;
	const char *slash = is_file ? strrchr(path, '/') : NULL;
	const char *name = slash ? slash + 1 : path;
	const char *ending = strrchr(name, '.');
	char directory[PATH_MAX] = ".";

	if (slash && (size_t)(slash - path) < sizeof(directory) - 1) {
		memcpy(directory, path, (size_t)(slash - path) + 1);
		directory[slash - path + 1] = '\0';
	}
	trace->path = strdup(path);
	trace->id = rows->trace_id ? strdup(rows->trace_id)
		    : !is_file     ? strdup("stdin")
				   : strndup(name, ending && ending > name ? (size_t)(ending - name) : strlen(name));
	if (!trace->path || !trace->id)
		return error_system(err, ENOMEM, path, "cannot read");
	return trace_take_labels(is_file ? directory : NULL, trace, err);
}

static enum status read_trace(const struct trace_rows *rows, struct trace *trace, struct error *err)
{
	struct rows made = {
	    .trace = trace,
	    .file = &rows->input->file,
	    .put = put_rows,
	    .context = (void *)(uintptr_t)rows,
	    .extended = rows->extended,
	};
	enum status status = label(rows, trace, err);

	if (status == STATUS_OK)
		status = rows->input->kind == INPUT_TEXT ? rows_from_text(&made, err) : rows_from_dat(&made, err);
	if (status != STATUS_OK)
		return status;
	notice_findings(&dataset_messages, trace);
	input_tell_loss(rows->input, &trace->loss);
	return STATUS_OK;
}

enum status trace_rows_read(const struct trace_rows *rows, struct error *err)
{
	struct trace trace = {.is_text = rows->input->kind == INPUT_TEXT};
	struct csv_reader reader;

	if (rows->input->kind == INPUT_CSV) {
		csv_reader_open(&reader, rows->input->file.bytes, rows->input->file.length, rows->input->name);
		return put_all(rows, &reader, err);
	}
	enum status status = read_trace(rows, &trace, err);
	trace_free(&trace);
	return status;
}
