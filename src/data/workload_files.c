/* SPDX-License-Identifier: MIT */
#include "data/workload_files.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/output_stream.h"
#include "data/trace_rows.h"

#define WORKLOADS_MAX 256

/* The file of one workload. */
struct part {
	char *workload, *name;
	struct output_stream sink;
	uint64_t rows, bytes;
};

struct parts {
	const struct workload_files_request *request;
	const char *directory;
	struct buffer header;
	const struct input *input;
	struct part items[WORKLOADS_MAX];
	size_t count;
	struct part *last; /* successive rows usually have the same workload */
};

/* Bytes that are invalid in a file name, or would hide the file, become %XX. */
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

/* True if path is one of the inputs. */
static bool is_input(const struct parts *parts, const char *path)
{
	bool found = false;

	for (size_t i = 0; i < parts->request->file_count; i++)
		found |= file_same(parts->request->files[i], path);
	return found || input_is_file(parts->input, path);
}

static enum status open_part(struct parts *parts, const char *workload, struct part **part, struct error *err)
{
	struct buffer name = {0};
	char path[PATH_MAX];

	if (parts->count == WORKLOADS_MAX)
		return error_set(err, STATUS_UNSUPPORTED, parts->input->name, "more than %d workloads", WORKLOADS_MAX);
	add_file_name(workload, &name);
	enum status status = file_join(path, sizeof(path), parts->directory, name.data, err);
	*part = &parts->items[parts->count];
	if (status == STATUS_OK && is_input(parts, path)) {
		error_set(err, STATUS_USAGE, path, "is an input");
		status = error_remedy(err, "choose another directory with -o");
	}
	if (status == STATUS_OK)
		status = output_stream_open(&(*part)->sink, path, err);
	if (status != STATUS_OK) {
		buffer_free(&name);
		return status;
	}
	parts->count++;
	(*part)->name = name.data;
	(*part)->workload = xstrdup(workload);
	buffer_add(&(*part)->sink.pending, parts->header.data, parts->header.length);
	return STATUS_OK;
}

static enum status find_part(struct parts *parts, const char *workload, struct part **part, struct error *err)
{
	*part = parts->last;
	if (*part && strcmp((*part)->workload, workload) == 0)
		return STATUS_OK;
	for (size_t i = 0; i < parts->count; i++) {
		*part = &parts->items[i];
		if (strcmp((*part)->workload, workload) == 0)
			return STATUS_OK;
	}
	return open_part(parts, workload, part, err);
}

static enum status bad_workload(const struct parts *parts, struct error *err)
{
	return error_set(err, STATUS_CORRUPT, parts->input->name, "a workload_type that cannot be a file name");
}

/* Adds complete rows of one workload. */
static enum status add_rows(struct parts *parts, const char *workload, const char *bytes, size_t length, uint64_t count,
			    struct error *err)
{
	struct part *part;
	enum status status = find_part(parts, workload, &part, err);

	if (status != STATUS_OK)
		return status;
	parts->last = part;
	part->rows += count;
	buffer_add(&part->sink.pending, bytes, length);
	if (length && bytes[length - 1] != '\n')
		buffer_text(&part->sink.pending, "\r\n");
	return output_stream_write_if_full(&part->sink, err);
}

static enum status add_record(void *context, const struct csv_record *record, struct error *err)
{
	struct parts *parts = context;
	char workload[NAME_MAX + 1];
	size_t length = csv_unquote(&record->fields[CSV_WORKLOAD_TYPE], workload, sizeof(workload) - 1);

	if (length == SIZE_MAX || memchr(workload, '\0', length))
		return bad_workload(parts, err);
	workload[length] = '\0';
	return add_rows(parts, workload, record->whole.bytes, record->whole.length, 1, err);
}

static enum status add_trace_rows(void *context, const struct dataset_trace *trace, struct buffer *rows, uint64_t count,
				  struct error *err)
{
	struct parts *parts = context;

	if (strlen(trace->run.workload) > NAME_MAX)
		return bad_workload(parts, err);
	return add_rows(parts, trace->run.workload, rows->data, rows->length, count, err);
}

/* All inputs must have the same columns. */
static enum status check_header(struct parts *parts, const struct trace_rows *rows, struct error *err)
{
	struct buffer header = {0};
	enum status status = STATUS_OK;

	trace_rows_header(rows, &header);
	if (!parts->header.length)
		buffer_add(&parts->header, header.data, header.length);
	else if (header.length != parts->header.length || memcmp(header.data, parts->header.data, header.length) != 0)
		status =
		    error_set(err, STATUS_USAGE, rows->input->name, "has different columns from the previous file");
	buffer_free(&header);
	return status;
}

static enum status split_input(struct parts *parts, const char *file, struct error *err)
{
	struct input input;
	const struct trace_rows rows = {
	    .input = &input,
	    .columns = &parts->request->columns,
	    .record = add_record,
	    .put = add_trace_rows,
	    .context = parts,
	};
	enum status status = input_open_or(&input, file, csv_is_dataset, err);

	if (status != STATUS_OK)
		return status;
	parts->input = &input;
	status = check_header(parts, &rows, err);
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

/* Moves the files into place. After a failure, the remaining files are not moved. */
static enum status finish(struct parts *parts, enum status status, struct error *err)
{
	const struct workload_files_request *request = parts->request;

	if (status == STATUS_OK)
		qsort(parts->items, parts->count, sizeof(parts->items[0]), compare_parts);
	for (size_t i = 0; i < parts->count; i++) {
		struct part *part = &parts->items[i];
		part->bytes = part->sink.written + part->sink.pending.length;
		if (status == STATUS_OK)
			status = output_stream_finish(&part->sink, err);
		else
			output_stream_discard(&part->sink);
	}
	for (size_t i = 0; i < parts->count; i++) {
		struct part *part = &parts->items[i];
		if (status == STATUS_OK && request->made)
			request->made(request->context, part->name, part->rows, part->bytes);
		free(part->workload);
		free(part->name);
	}
	return status;
}

enum status workload_files_write(const struct workload_files_request *request, struct error *err)
{
	struct parts *parts = xcalloc(1, sizeof(*parts));
	parts->request = request;
	parts->directory = request->output_directory ? request->output_directory : ".";
	enum status status = file_make_directories(parts->directory, err);
	for (size_t i = 0; i < request->file_count && status == STATUS_OK; i++)
		status = split_input(parts, request->files[i], err);
	status = finish(parts, status, err);
	buffer_free(&parts->header);
	free(parts);
	return status;
}
