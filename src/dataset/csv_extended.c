/* SPDX-License-Identifier: MIT */
#include "dataset/csv_extended.h"

#include "base/csv_field.h"
#include "base/decimal.h"
#include "dataset/csv.h"

#define NUMBERS_MOST 160u

const char *const csv_extended_columns[CSV_EXTENDED_COLUMNS] = {
    "next_prio", "prev_pid",   "prev_prio", "prev_runtime",   "wakeup_latency",
    "waker_pid", "waker_comm", "migrated",  "runnable_tasks",
};

static char *put_signed(char *to, int64_t value)
{
	if (value < 0)
		*to++ = '-';
	return decimal_put(to, value < 0 ? 0 - (uint64_t)value : (uint64_t)value);
}

/* Up to the name of the waker. */
static char *put_head(char *to, const struct csv_extension *extension)
{
	*to++ = ',';
	to = put_signed(to, extension->next_prio);
	*to++ = ',';
	to = put_signed(to, extension->prev_pid);
	*to++ = ',';
	to = put_signed(to, extension->prev_prio);
	*to++ = ',';
	if (extension->runtime_known)
		to = decimal_put_seconds(to, extension->prev_runtime_ns);
	*to++ = ',';
	if (extension->latency_known)
		to = decimal_put_seconds(to, extension->wakeup_latency_ns);
	*to++ = ',';
	if (extension->waker_known)
		to = put_signed(to, extension->waker_pid);
	*to++ = ',';
	return to;
}

static char *put_tail(char *to, const struct csv_extension *extension)
{
	*to++ = ',';
	if (extension->migrated_known)
		*to++ = extension->migrated ? '1' : '0';
	*to++ = ',';
	to = decimal_put(to, extension->runnable);
	*to++ = '\r';
	*to++ = '\n';
	*to = '\0';
	return to;
}

void csv_add_extension(struct buffer *out, const struct csv_extension *extension)
{
	char *to = buffer_reserve(out, NUMBERS_MOST);

	if (!to)
		return;
	out->length += (size_t)(put_head(to, extension) - to);
	if (extension->waker)
		csv_field_add(out, extension->waker->bytes, extension->waker->length);
	to = buffer_reserve(out, NUMBERS_MOST);
	if (to)
		out->length += (size_t)(put_tail(to, extension) - to);
}
