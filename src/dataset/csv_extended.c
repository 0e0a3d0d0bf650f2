/* SPDX-License-Identifier: MIT */
#include "dataset/csv_extended.h"

#include "dataset/csv.h"

#define NUMBERS_MOST           160u
#define NANOSECONDS_PER_SECOND 1000000000u

const char *const csv_extended_columns[CSV_EXTENDED_COLUMNS] = {
    "next_prio", "prev_pid",   "prev_prio", "prev_runtime",   "wakeup_latency",
    "waker_pid", "waker_comm", "migrated",  "runnable_tasks",
};

/* At least so many digits, with leading zeros. */
static char *put_digits(char *to, uint64_t value, unsigned int digits)
{
	char reversed[20];
	unsigned int count = 0;

	for (; value || count < digits; value /= 10)
		reversed[count++] = (char)('0' + value % 10);
	while (count)
		*to++ = reversed[--count];
	return to;
}

static char *put_signed(char *to, int64_t value)
{
	if (value < 0)
		*to++ = '-';
	return put_digits(to, value < 0 ? 0 - (uint64_t)value : (uint64_t)value, 1);
}

static char *put_seconds(char *to, uint64_t ns)
{
	to = put_digits(to, ns / NANOSECONDS_PER_SECOND, 1);
	*to++ = '.';
	return put_digits(to, ns % NANOSECONDS_PER_SECOND, 9);
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
		to = put_seconds(to, extension->prev_runtime_ns);
	*to++ = ',';
	if (extension->latency_known)
		to = put_seconds(to, extension->wakeup_latency_ns);
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
	to = put_digits(to, extension->runnable, 1);
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
		csv_add_field(out, extension->waker->bytes, extension->waker->length);
	to = buffer_reserve(out, NUMBERS_MOST);
	if (to)
		out->length += (size_t)(put_tail(to, extension) - to);
}
