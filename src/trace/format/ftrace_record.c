/* SPDX-License-Identifier: MIT */
#include "trace/format/ftrace_record.h"

#include <string.h>

#include "base/find_byte.h"

#define SECONDS_MAX       18000000000u
#define FLAG_TOKENS_MAX   1
#define FLAG_LENGTH_MAX   16
#define NANOSECOND_DIGITS 9u
#define EVENT_NAME_MAX    65 /* with its colon */

/* SECONDS.FRACTION: with one to nine decimals. */
static bool take_timestamp(struct ftrace_cursor *cursor, struct ftrace_head *head)
{
	const char *start = cursor->at;
	uint64_t seconds;
	uint64_t fraction;

	if (!ftrace_take_number(cursor, SECONDS_MAX, &seconds) || !ftrace_take_text(cursor, "."))
		return false;
	const char *point = cursor->at;
	if (!ftrace_take_number(cursor, 999999999, &fraction))
		return false;
	size_t digits = (size_t)(cursor->at - point);
	if (digits > NANOSECOND_DIGITS)
		return false;
	head->timestamp = (struct ftrace_span){start, (size_t)(cursor->at - start)};
	for (; digits < NANOSECOND_DIGITS; digits++)
		fraction *= 10;
	head->ts_ns = seconds * 1000000000 + fraction;
	return ftrace_take_text(cursor, ":");
}

/* The end of the word that begins at the cursor, or what of it max bytes show. */
static inline const char *end_of_word(struct ftrace_cursor cursor, ptrdiff_t max)
{
	const char *end = cursor.end - cursor.at > max ? cursor.at + max : cursor.end;

	return find_any(cursor.at, end, " \t\t");
}

static void take_event_name(struct ftrace_cursor *cursor, struct ftrace_head *head)
{
	ftrace_skip_spaces(cursor);
	const char *start = cursor->at;
	const char *end = cursor->end - start > EVENT_NAME_MAX ? start + EVENT_NAME_MAX : cursor->end;
	const char *at = find_any(start, end, ": \t");
	head->event = (struct ftrace_span){start, 0};
	if (at < end && *at == ':') {
		head->event.length = (size_t)(at - start);
		cursor->at = at + 1;
		ftrace_skip_spaces(cursor);
	}
	head->payload = cursor->at;
}

/* From the bracket of the CPU on. Flags are between the CPU and the time if irq-info is on. */
static bool take_cpu_and_time(struct ftrace_cursor cursor, struct ftrace_head *head)
{
	uint64_t cpu;

	if (!ftrace_take_text(&cursor, "[") || !ftrace_take_number(&cursor, UINT32_MAX, &cpu) ||
	    !ftrace_take_text(&cursor, "]"))
		return false;
	head->cpu = (uint32_t)cpu;
	head->interrupt = 0;
	for (int token = 0; token <= FLAG_TOKENS_MAX; token++) {
		ftrace_skip_spaces(&cursor);
		struct ftrace_cursor time = cursor;
		if (take_timestamp(&time, head)) {
			take_event_name(&time, head);
			return true;
		}
		const char *flags = cursor.at;
		cursor.at = end_of_word(cursor, FLAG_LENGTH_MAX + 1);
		if (cursor.at - flags > FLAG_LENGTH_MAX || (flags < cursor.at && ftrace_is_digit(*flags)))
			return false;
		/* Flags such as "d.s3.": interrupts off, need-resched, interrupt context, preemption depth... */
		if (token == 0 && cursor.at - flags >= 4)
			head->interrupt = flags[2];
	}
	return false;
}

/* The name is followed by the PID and optionally the thread group, "(  123)" or "(-------)". */
bool ftrace_take_column_head(struct ftrace_cursor cursor, struct ftrace_head *head)
{
	uint64_t pid;

	if ((size_t)(cursor.end - cursor.at) <= FTRACE_TASK_COLUMN || cursor.at[FTRACE_TASK_COLUMN] != '-')
		return false;
	cursor.at += FTRACE_TASK_COLUMN + 1;
	if (!ftrace_take_number(&cursor, INT32_MAX, &pid))
		return false;
	head->pid = (int32_t)pid;
	ftrace_skip_spaces(&cursor);
	if (ftrace_take_text(&cursor, "(")) {
		const char *close = memchr(cursor.at, ')', (size_t)(cursor.end - cursor.at));
		if (!close || close - cursor.at > 16)
			return false;
		cursor.at = close + 1;
		ftrace_skip_spaces(&cursor);
	}
	return take_cpu_and_time(cursor, head);
}

/* The PID in "NAME-PID   " or "NAME-PID   (TGID) ", a text that ends at end. */
static int32_t pid_before(const char *start, const char *end)
{
	uint64_t pid;

	while (end > start && ftrace_is_space(end[-1]))
		end--;
	if (end > start && end[-1] == ')') {
		while (end > start && *end != '(')
			end--;
		while (end > start && ftrace_is_space(end[-1]))
			end--;
	}
	struct ftrace_cursor digits = {end, end};
	while (digits.at > start && ftrace_is_digit(digits.at[-1]))
		digits.at--;
	if (digits.at == start || digits.at[-1] != '-' || !ftrace_take_number(&digits, INT32_MAX, &pid))
		return -1;
	return (int32_t)pid;
}

bool ftrace_take_free_head(struct ftrace_cursor cursor, struct ftrace_head *head)
{
	const char *start = cursor.at;

	while (cursor.at < cursor.end) {
		const char *bracket = memchr(cursor.at, '[', (size_t)(cursor.end - cursor.at));
		if (!bracket)
			return false;
		cursor.at = bracket;
		if (take_cpu_and_time(cursor, head)) {
			head->pid = pid_before(start, bracket);
			return true;
		}
		cursor.at++;
	}
	return false;
}

/* From "prev_comm=" to "next_comm=": the first position with all fields in their order. */
static bool take_prev(struct ftrace_cursor *cursor, struct ftrace_text_switch *event)
{
	const char *found;

	if (!ftrace_take_text(cursor, "prev_comm="))
		return false;
	event->prev_comm.bytes = cursor->at;
	while (ftrace_find_text(cursor, " prev_pid=", &found)) {
		struct ftrace_cursor try = {found, cursor->end};
		cursor->at = found + 1;
		if (!ftrace_take_text(&try, " prev_pid=") || !ftrace_take_signed(&try, &event->prev_pid))
			continue;
		if (!ftrace_take_text(&try, " prev_prio=") || !ftrace_take_signed(&try, &event->prev_prio))
			continue;
		if (!ftrace_take_text(&try, " prev_state="))
			continue;
		event->prev_state.bytes = try.at;
		while (try.at < try.end && !ftrace_is_space(*try.at) && *try.at != '\n')
			try.at++;
		event->prev_state.length = (size_t)(try.at - event->prev_state.bytes);
		if (event->prev_state.length == 0 || !ftrace_take_text(&try, " ==> next_comm="))
			continue;
		event->prev_comm.length = (size_t)(found - event->prev_comm.bytes);
		cursor->at = try.at;
		return true;
	}
	return false;
}

/* From the name on, searched from the right: a name is too short to contain both fields after it. */
static bool take_next(struct ftrace_cursor cursor, struct ftrace_text_switch *event)
{
	event->next_comm.bytes = cursor.at;
	for (const char *at = cursor.end; (at = find_last_byte(cursor.at, at, ' '));) {
		struct ftrace_cursor try = {at, cursor.end};
		if (!ftrace_take_text(&try, " next_pid=") || !ftrace_take_signed(&try, &event->next_pid))
			continue;
		if (!ftrace_take_text(&try, " next_prio=") || !ftrace_take_signed(&try, &event->next_prio))
			continue;
		if (try.at < try.end && !ftrace_is_space(*try.at) && *try.at != '\r')
			continue;
		event->next_comm.length = (size_t)(at - event->next_comm.bytes);
		return true;
	}
	return false;
}

bool ftrace_take_switch(struct ftrace_cursor cursor, struct ftrace_text_switch *event)
{
	return take_prev(&cursor, event) && take_next(cursor, event);
}
