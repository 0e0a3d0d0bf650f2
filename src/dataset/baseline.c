/* SPDX-License-Identifier: MIT */
#include "dataset/baseline.h"

#include <errno.h>
#include <string.h>

static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
#define DIGITS (sizeof(digits) - 1)

void baseline_add_header(struct buffer *out)
{
	buffer_text(out, "task_code,time,name,pid\r\n");
}

static void add_code(uint32_t number, struct buffer *out)
{
	char code[8];
	size_t at = sizeof(code);

	for (uint64_t left = (uint64_t)number + 1; left; left = (left - 1) / DIGITS)
		code[--at] = digits[(left - 1) % DIGITS];
	buffer_add(out, code + at, sizeof(code) - at);
}

static void add_field(const struct csv_text *field, struct buffer *out)
{
	buffer_text(out, ",");
	buffer_add(out, field->bytes, field->length);
}

enum status baseline_add_row(struct baseline *baseline, const struct csv_record *record, struct buffer *out,
			     struct error *err)
{
	struct sched_comm name = {0};
	size_t length = csv_unquote(&record->fields[CSV_TASK_NAME], name.bytes, sizeof(name.bytes));

	if (length == SIZE_MAX)
		return error_set(err, STATUS_CORRUPT, NULL, "a task_name of more than %zu bytes", sizeof(name.bytes));
	name.length = (uint8_t)length;
	uint32_t number = comm_table_number(&baseline->names, &name);
	if (number == UINT32_MAX)
		return error_system(err, ENOMEM, NULL, "cannot keep the task names");
	add_code(number, out);
	add_field(&record->fields[baseline->timestamps ? CSV_TIMESTAMP : CSV_TIME_DIFF], out);
	add_field(&record->fields[CSV_TASK_NAME], out);
	add_field(&record->fields[CSV_PID], out);
	buffer_text(out, "\r\n");
	return STATUS_OK;
}

void baseline_free(struct baseline *baseline)
{
	comm_table_free(&baseline->names);
}
