/* SPDX-License-Identifier: MIT */
#include "dataset/csv.h"

#include <string.h>

#include "base/copy.h"
#include "base/csv_field.h"
#include "base/decimal.h"
#include "dataset/csv_extended.h"

#define NUMBERS_MOST 112u /* timestamp, time_diff, pid, cpu and all commas of a row */

const char *const csv_columns[CSV_COLUMNS] = {
    "timestamp", "time_diff", "task_name", "pid", "cpu", "prev_state", "prev_comm", "workload_type", "trace_id",
};

size_t csv_column_count(bool extended)
{
	return extended ? CSV_COLUMNS + CSV_EXTENDED_COLUMNS : CSV_COLUMNS;
}

const char *csv_column_name(size_t column)
{
	return column < CSV_COLUMNS ? csv_columns[column] : csv_extended_columns[column - CSV_COLUMNS];
}

void csv_add_header(struct buffer *out, bool extended)
{
	for (size_t i = 0; i < csv_column_count(extended); i++) {
		buffer_text(out, i ? "," : "");
		buffer_text(out, csv_column_name(i));
	}
	buffer_text(out, "\r\n");
}

void csv_add_labels(struct buffer *out, const char *workload_type, const char *trace_id, bool extended)
{
	csv_field_add(out, workload_type, strlen(workload_type));
	buffer_text(out, ",");
	csv_field_add(out, trace_id, strlen(trace_id));
	buffer_text(out, extended ? "" : "\r\n");
}

static char *put_text(char *to, const struct csv_text *text)
{
	to = csv_field_put(to, text->bytes, text->length);
	*to++ = ',';
	return to;
}

static char *put_task(char *to, const struct csv_text *task_name, int32_t pid)
{
	to = put_text(to, task_name);
	if (pid < 0)
		*to++ = '-';
	to = decimal_put(to, pid < 0 ? 0 - (uint64_t)(int64_t)pid : (uint64_t)pid);
	*to++ = ',';
	return to;
}

void csv_make_task(struct csv_fields *fields, struct csv_text task_name, int32_t pid)
{
	fields->length = (uint32_t)(put_task(fields->bytes, &task_name, pid) - fields->bytes);
}

void csv_make_left(struct csv_fields *fields, struct csv_text prev_state, struct csv_text prev_comm)
{
	char *end = put_text(put_text(fields->bytes, &prev_state), &prev_comm);

	fields->length = (uint32_t)(end - fields->bytes);
}

/* Mostly at most 32 bytes, which are few moves where their number is fixed. */
static char *put_fields(char *to, const struct csv_fields *fields)
{
	memcpy(to, fields->bytes, 32);
	if (fields->length > 32)
		memcpy(to + 32, fields->bytes + 32, sizeof(fields->bytes) - 32);
	return to + fields->length;
}

static char *put_row(char *to, struct csv_row *row)
{
	if (row->timestamp.bytes)
		to = copy_short(to, row->timestamp.bytes, row->timestamp.length);
	else
		to = decimal_put_time(to, row->ts_ns, &row->second);
	*to++ = ',';
	if (row->time_diff_negative)
		*to++ = '-';
	to = decimal_put_seconds(to, row->time_diff_ns);
	*to++ = ',';
	to = row->task ? put_fields(to, row->task) : put_task(to, &row->task_name, row->pid);
	to = decimal_put(to, row->cpu);
	*to++ = ',';
	if (row->left)
		return put_fields(to, row->left);
	to = put_text(to, &row->prev_state);
	return put_text(to, &row->prev_comm);
}

void csv_add_row(struct buffer *out, struct csv_row *row, const struct buffer *labels)
{
	size_t texts = row->timestamp.length + row->task_name.length + row->prev_state.length + row->prev_comm.length;
	char *start =
	    buffer_reserve(out, NUMBERS_MOST + 2 * sizeof(struct csv_fields) + 2 * texts + 6 + labels->length);

	if (!start)
		return;
	char *end = put_row(start, row);
	end = copy_short(end, labels->data, labels->length);
	*end = '\0';
	out->length += (size_t)(end - start);
}
