/* SPDX-License-Identifier: MIT */
#include "data/baseline.h"

#include <inttypes.h>
#include <string.h>

#include "base/csv_field.h"
#include "base/decimal.h"

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

/* Adds the code of a name. */
static enum status add_name(struct baseline *baseline, const char *bytes, size_t length, struct buffer *out,
			    struct error *err)
{
	struct sched_comm name = {0};

	if (length > sizeof(name.bytes))
		return error_set(err, STATUS_CORRUPT, NULL, "a task_name of more than %zu bytes", sizeof(name.bytes));
	memcpy(name.bytes, bytes, length);
	name.length = (uint8_t)length;
	add_code(comm_table_number(&baseline->names, &name), out);
	return STATUS_OK;
}

static void add_field(const struct csv_text *field, struct buffer *out)
{
	buffer_text(out, ",");
	buffer_add(out, field->bytes, field->length);
}

enum status baseline_add_record(struct baseline *baseline, const struct csv_record *record, struct buffer *out,
				struct error *err)
{
	char name[sizeof(struct sched_comm)];
	size_t length = csv_unquote(&record->fields[CSV_TASK_NAME], name, sizeof(name));
	enum status status = add_name(baseline, name, length, out, err);

	if (status != STATUS_OK)
		return status;
	add_field(&record->fields[baseline->timestamps ? CSV_TIMESTAMP : CSV_TIME_DIFF], out);
	add_field(&record->fields[CSV_TASK_NAME], out);
	add_field(&record->fields[CSV_PID], out);
	buffer_text(out, "\r\n");
	return STATUS_OK;
}

static void add_seconds(uint64_t ns, struct buffer *out)
{
	char text[32];

	buffer_add(out, text, (size_t)(decimal_put_seconds(text, ns) - text));
}

enum status baseline_add_row(struct baseline *baseline, const struct dataset_row *row, struct buffer *out,
			     struct error *err)
{
	const struct ftrace_text_switch *text = row->text;
	const struct sched_task *next = &row->event->switched.next;
	const char *name = text ? text->next_comm.bytes : next->comm.bytes;
	size_t length = text ? text->next_comm.length : next->comm.length;
	enum status status = add_name(baseline, name, length, out, err);

	if (status != STATUS_OK)
		return status;
	buffer_text(out, ",");
	if (baseline->timestamps && text)
		buffer_add(out, text->timestamp.bytes, text->timestamp.length);
	else if (baseline->timestamps)
		add_seconds(row->time.ts_ns, out);
	else if (row->time.diff_is_negative)
		buffer_text(out, "-");
	if (!baseline->timestamps)
		add_seconds(row->time.diff_ns, out);
	buffer_text(out, ",");
	csv_field_add(out, name, length);
	buffer_printf(out, ",%" PRId32 "\r\n", text ? text->next_pid : next->pid);
	return STATUS_OK;
}

void baseline_free(struct baseline *baseline)
{
	comm_table_free(&baseline->names);
}
