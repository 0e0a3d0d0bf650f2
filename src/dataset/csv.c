/* SPDX-License-Identifier: MIT */
#include "dataset/csv.h"

#include <string.h>

#include "dataset/csv_extended.h"

#define NUMBERS_MOST           112u /* timestamp, time_diff, pid, cpu and all commas of a row */
#define NANOSECONDS_PER_SECOND 1000000000u

const char *const csv_columns[CSV_COLUMNS] = {
    "timestamp", "time_diff", "task_name", "pid", "cpu", "prev_state", "prev_comm", "workload_type", "trace_id",
};

static const char digit_pairs[] = "00010203040506070809101112131415161718192021222324"
				  "25262728293031323334353637383940414243444546474849"
				  "50515253545556575859606162636465666768697071727374"
				  "75767778798081828384858687888990919293949596979899";

static size_t digit_count(uint64_t value)
{
	size_t count = 1;

	for (; value >= 10000; value /= 10000)
		count += 4;
	return count + (value >= 10) + (value >= 100) + (value >= 1000);
}

static char *put_u64(char *to, uint64_t value)
{
	char *end = to + digit_count(value);
	char *at = end;

	for (; value >= 100; value /= 100) {
		at -= 2;
		memcpy(at, digit_pairs + 2 * (value % 100), 2);
	}
	if (value >= 10)
		memcpy(to, digit_pairs + 2 * value, 2);
	else
		*to = (char)('0' + value);
	return end;
}

static char *put_seconds(char *to, uint64_t ns)
{
	uint32_t fraction = (uint32_t)(ns % NANOSECONDS_PER_SECOND);

	to = put_u64(to, ns / NANOSECONDS_PER_SECOND);
	*to++ = '.';
	to[8] = (char)('0' + fraction % 10);
	fraction /= 10;
	for (int at = 6; at >= 0; at -= 2) {
		memcpy(to + at, digit_pairs + 2 * (fraction % 100), 2);
		fraction /= 100;
	}
	return to + 9;
}

static char *put_quoted(char *to, const char *bytes, size_t length)
{
	*to++ = '"';
	for (size_t i = 0; i < length; i++) {
		if (bytes[i] == '"')
			*to++ = '"';
		*to++ = bytes[i];
	}
	*to++ = '"';
	return to;
}

/* Copies and looks for what needs quotes in one go, since names are short. to has room for twice the length
 * and two more. */
static char *put_field(char *to, const char *bytes, size_t length)
{
	for (size_t i = 0; i < length; i++) {
		char c = bytes[i];
		if (c == ',' || c == '"' || c == '\r' || c == '\n')
			return put_quoted(to, bytes, length);
		to[i] = c;
	}
	return to + length;
}

void csv_add_field(struct buffer *out, const char *bytes, size_t length)
{
	char *to = buffer_reserve(out, 2 * length + 2);

	if (!to)
		return;
	char *end = put_field(to, bytes, length);
	*end = '\0';
	out->length += (size_t)(end - to);
}

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
	csv_add_field(out, workload_type, strlen(workload_type));
	buffer_text(out, ",");
	csv_add_field(out, trace_id, strlen(trace_id));
	buffer_text(out, extended ? "" : "\r\n");
}

static char *put_bytes(char *to, const char *bytes, size_t length)
{
	if (length)
		memcpy(to, bytes, length);
	return to + length;
}

static char *put_text(char *to, const struct csv_text *text)
{
	to = put_field(to, text->bytes, text->length);
	*to++ = ',';
	return to;
}

static char *put_row(char *to, const struct csv_row *row)
{
	if (row->timestamp.bytes)
		to = put_bytes(to, row->timestamp.bytes, row->timestamp.length);
	else
		to = put_seconds(to, row->ts_ns);
	*to++ = ',';
	if (row->time_diff_negative)
		*to++ = '-';
	to = put_seconds(to, row->time_diff_ns);
	*to++ = ',';
	to = put_text(to, &row->task_name);
	if (row->pid < 0)
		*to++ = '-';
	to = put_u64(to, row->pid < 0 ? 0 - (uint64_t)(int64_t)row->pid : (uint64_t)row->pid);
	*to++ = ',';
	to = put_u64(to, row->cpu);
	*to++ = ',';
	to = put_text(to, &row->prev_state);
	return put_text(to, &row->prev_comm);
}

void csv_add_row(struct buffer *out, const struct csv_row *row, const struct buffer *labels)
{
	size_t texts = row->timestamp.length + row->task_name.length + row->prev_state.length + row->prev_comm.length;
	char *start = buffer_reserve(out, NUMBERS_MOST + 2 * texts + 6 + labels->length);

	if (!start)
		return;
	char *end = put_row(start, row);
	end = put_bytes(end, labels->data, labels->length);
	*end = '\0';
	out->length += (size_t)(end - start);
}
