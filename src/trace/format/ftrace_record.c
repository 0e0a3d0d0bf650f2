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
static inline __attribute__((always_inline)) bool take_timestamp(struct ftrace_cursor *cursor, struct ftrace_head *head)
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

/* A whole number: of microseconds in the latency format ("1234us!:"), else not of a time ("1234:"). */
static __attribute__((noinline)) bool take_count(struct ftrace_cursor *cursor, struct ftrace_head *head)
{
	uint64_t count;

	if (!ftrace_take_number(cursor, SECONDS_MAX * UINT64_C(1000), &count))
		return false;
	head->timestamp.length = 0;
	head->has_time = ftrace_take_text(cursor, "us");
	if (!head->has_time)
		return ftrace_take_text(cursor, ":");
	head->ts_ns = count * 1000;
	if (cursor->at < cursor->end && *cursor->at != ':')
		cursor->at++;
	return ftrace_take_text(cursor, ":");
}

/* The end of the word that begins at the cursor; at most max bytes after the cursor. */
static inline const char *end_of_word(struct ftrace_cursor cursor, ptrdiff_t max)
{
	const char *end = cursor.end - cursor.at > max ? cursor.at + max : cursor.end;

	return find_any(cursor.at, end, " \t\t");
}

/* "NAME: ", "SYSTEM:NAME: ". */
static inline __attribute__((always_inline)) void take_event_name(struct ftrace_cursor *cursor,
								  struct ftrace_head *head)
{
	const char *start = cursor->at;
	const char *end = cursor->end - start > EVENT_NAME_MAX ? start + EVENT_NAME_MAX : cursor->end;
	const char *at = find_any(start, end, ": \t");
	head->event = (struct ftrace_span){start, 0};
	if (at < end && *at == ':') {
		if (at + 1 < end && !ftrace_is_space(at[1])) {
			const char *name = find_any(at + 1, end, ": \t");
			if (name < end && *name == ':' && name > at + 1) {
				start = at + 1;
				at = name;
				head->layout = head->layout == FTRACE_BRACKETS ? FTRACE_PERF : head->layout;
			}
		}
		head->event = (struct ftrace_span){start, (size_t)(at - start)};
		cursor->at = at + 1;
		ftrace_skip_spaces(cursor);
	}
	head->payload = cursor->at;
}

/* perf script -F period: a number precedes the event. */
static void skip_period(struct ftrace_cursor *cursor)
{
	struct ftrace_cursor try = *cursor;
	uint64_t period;

	ftrace_skip_spaces(&try);
	if (ftrace_take_number(&try, UINT64_MAX, &period) && try.at < try.end && ftrace_is_space(*try.at))
		*cursor = try;
}

/* trace-cmd report --ts-diff: "(+21)", the time since the event before. */
static __attribute__((noinline)) void skip_difference(struct ftrace_cursor *cursor)
{
	struct ftrace_cursor try = *cursor;
	uint64_t difference;

	if (ftrace_take_text(&try, "(+") && ftrace_take_number(&try, UINT64_MAX, &difference) &&
	    ftrace_take_text(&try, ")")) {
		*cursor = try;
		ftrace_skip_spaces(cursor);
	}
}

/* Flags such as "d.s3." are between the CPU and the time if irq-info is on. takes_count: the time may be a whole
 * number. */
static inline __attribute__((always_inline)) bool take_flags_and_time(struct ftrace_cursor cursor, bool takes_count,
								      struct ftrace_head *head)
{
	head->interrupt = 0;
	head->has_time = true;
	for (int token = 0; token <= FLAG_TOKENS_MAX; token++) {
		ftrace_skip_spaces(&cursor);
		struct ftrace_cursor time = cursor;
		bool is_time = take_timestamp(&time, head);
		if (!is_time && takes_count) {
			time = cursor;
			is_time = take_count(&time, head);
		}
		if (is_time) {
			if (head->layout != FTRACE_COLUMNS)
				skip_period(&time);
			ftrace_skip_spaces(&time);
			if (time.at < time.end && *time.at == '(')
				skip_difference(&time);
			take_event_name(&time, head);
			return true;
		}
		const char *flags = cursor.at;
		cursor.at = end_of_word(cursor, FLAG_LENGTH_MAX + 1);
		if (cursor.at - flags > FLAG_LENGTH_MAX || (flags < cursor.at && ftrace_is_digit(*flags)))
			return false;
		/* Interrupts off, need-resched, interrupt context, preemption depth... */
		if (token == 0 && cursor.at - flags >= 4)
			head->interrupt = flags[2];
	}
	return false;
}

static inline __attribute__((always_inline)) bool take_cpu(struct ftrace_cursor *cursor, struct ftrace_head *head)
{
	uint64_t cpu;

	if (!ftrace_take_text(cursor, "[") || !ftrace_take_number(cursor, UINT32_MAX, &cpu) ||
	    !ftrace_take_text(cursor, "]"))
		return false;
	head->cpu = (uint32_t)cpu;
	return true;
}

/* The name is followed by the PID and optionally the thread group, "(  123)" or "(-------)". */
static inline __attribute__((always_inline)) bool take_columns(struct ftrace_cursor *cursor, struct ftrace_head *head)
{
	uint64_t pid;

	if ((size_t)(cursor->end - cursor->at) <= FTRACE_TASK_COLUMN || cursor->at[FTRACE_TASK_COLUMN] != '-')
		return false;
	head->layout = FTRACE_COLUMNS;
	head->comm = (struct ftrace_span){cursor->at, FTRACE_TASK_COLUMN};
	cursor->at += FTRACE_TASK_COLUMN + 1;
	if (!ftrace_take_number(cursor, INT32_MAX, &pid))
		return false;
	head->pid = (int32_t)pid;
	ftrace_skip_spaces(cursor);
	if (ftrace_take_text(cursor, "(")) {
		const char *close = memchr(cursor->at, ')', (size_t)(cursor->end - cursor->at));
		if (!close || close - cursor->at > 16)
			return false;
		cursor->at = close + 1;
		ftrace_skip_spaces(cursor);
	}
	return take_cpu(cursor, head);
}

bool ftrace_take_column_head(struct ftrace_cursor cursor, struct ftrace_head *head)
{
	return take_columns(&cursor, head) && take_flags_and_time(cursor, false, head);
}

/* The same for all other layouts. */
static __attribute__((noinline)) bool take_any_time(struct ftrace_cursor cursor, bool takes_count,
						    struct ftrace_head *head)
{
	return take_flags_and_time(cursor, takes_count, head);
}

/* The name and PID in "NAME-PID   " or "NAME-PID   (TGID) ", or of perf "NAME PID " or "NAME TGID/PID ", a text that
 * ends at end. */
static void take_task_before(const char *start, const char *end, struct ftrace_head *head)
{
	uint64_t pid;

	head->pid = -1;
	head->comm = (struct ftrace_span){start, 0};
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
	const char *name_end = digits.at - 1;
	if (digits.at == start || digits.at == end)
		return;
	if (head->layout == FTRACE_PERF && *name_end == '/')
		while (name_end > start && ftrace_is_digit(name_end[-1]))
			name_end--;
	else if (*name_end != '-' && !(head->layout == FTRACE_PERF && ftrace_is_space(*name_end)))
		return;
	if (!ftrace_take_number(&digits, INT32_MAX, &pid))
		return;
	head->pid = (int32_t)pid;
	head->comm.length = (size_t)(name_end - start);
}

static bool take_bracket_head(struct ftrace_cursor cursor, bool takes_count, struct ftrace_head *head)
{
	const char *start = cursor.at;

	while (cursor.at < cursor.end) {
		const char *bracket = memchr(cursor.at, '[', (size_t)(cursor.end - cursor.at));
		if (!bracket)
			return false;
		cursor.at = bracket;
		head->layout = FTRACE_BRACKETS;
		if (take_cpu(&cursor, head) && take_any_time(cursor, takes_count, head)) {
			take_task_before(start, bracket, head);
			return true;
		}
		cursor.at = bracket + 1;
	}
	return false;
}

/* The flags of the latency format follow the CPU without a space: "d..2.", "....", "dNh5.". */
static bool take_latency_cpu(struct ftrace_cursor *cursor, struct ftrace_head *head)
{
	uint64_t pid, cpu;

	if (!ftrace_take_number(cursor, INT32_MAX, &pid) || cursor->at == cursor->end || !ftrace_is_space(*cursor->at))
		return false;
	ftrace_skip_spaces(cursor);
	if (!ftrace_take_number(cursor, UINT32_MAX, &cpu) || cursor->end - cursor->at < 5)
		return false;
	for (int flag = 0; flag < 4; flag++)
		if (ftrace_is_space(cursor->at[flag]))
			return false;
	head->layout = FTRACE_LATENCY;
	head->pid = (int32_t)pid;
	head->cpu = (uint32_t)cpu;
	/* The kernel prints only eight bytes of the name. */
	head->comm.length = 0;
	return true;
}

static bool take_latency_head(struct ftrace_cursor cursor, struct ftrace_head *head)
{
	const char *dash;

	head->comm.bytes = cursor.at;
	for (; ftrace_find_text(&cursor, "-", &dash); cursor.at = dash + 1) {
		struct ftrace_cursor try = {dash + 1, cursor.end};
		if (take_latency_cpu(&try, head) && take_any_time(try, true, head) &&
		    (head->has_time || head->event.length))
			return true;
	}
	return false;
}

bool ftrace_take_free_head(struct ftrace_cursor cursor, struct ftrace_head *head)
{
	return take_bracket_head(cursor, false, head) || (take_latency_head(cursor, head) && head->has_time);
}

bool ftrace_has_count(struct ftrace_cursor line)
{
	struct ftrace_head head;
	struct ftrace_cursor columns = line;

	return ((take_columns(&columns, &head) && take_any_time(columns, true, &head)) ||
		take_bracket_head(line, true, &head) || take_latency_head(line, &head)) &&
	       !head.has_time && head.event.length;
}

/* Sources: the print fmt of sched_switch; trace-cmd's report -R, which prints each field; trace-cmd's plugin
 * plugin_sched_switch.c; kernels before 2.6.33. */
const struct ftrace_form ftrace_forms[FTRACE_FORMS] = {
#define KERNEL_FORM                                                                                                    \
	{                                                                                                              \
		"prev_comm=", " prev_pid=", " prev_prio=", " prev_state=", " ==> next_comm=", " next_pid=",            \
		    " next_prio=", "", NULL, NULL, NULL, NULL, NULL, NULL                                              \
	}
    [FTRACE_KERNEL] = KERNEL_FORM,
    [FTRACE_RAW] = {"prev_comm=", " prev_pid=", " prev_prio=", " prev_state=", " next_comm=", " next_pid=",
		    " next_prio=", "", NULL, NULL, NULL, NULL, NULL, NULL},
    [FTRACE_REPORT] = {"", ":", " [", "] ", " ==> ", ":", " [", "]", "", ":", " [", " CPU:", NULL, NULL},
    [FTRACE_OLD] = {"task ", ":", " [", "] (", ") ==> ", ":", " [", "]", "task ", ":", " [", " [", " from: ", "  to: "},
};
static const struct ftrace_form kernel_form = KERNEL_FORM;

/* Parses up to next_comm: prev_comm ends at the first position that all fields follow in order. */
static inline __attribute__((always_inline)) bool take_prev(struct ftrace_cursor *cursor,
							    const struct ftrace_form *form,
							    struct ftrace_text_switch *event)
{
	const char *found;

	if (!ftrace_take_text(cursor, form->prev_comm))
		return false;
	event->prev_comm.bytes = cursor->at;
	while (ftrace_find_text(cursor, form->prev_pid, &found)) {
		struct ftrace_cursor try = {found, cursor->end};
		cursor->at = found + 1;
		if (!ftrace_take_text(&try, form->prev_pid) || !ftrace_take_signed(&try, &event->prev_pid))
			continue;
		if (!ftrace_take_text(&try, form->prev_prio) || !ftrace_take_signed(&try, &event->prev_prio))
			continue;
		if (!ftrace_take_text(&try, form->prev_state))
			continue;
		event->prev_state.bytes = try.at;
		while (try.at < try.end && !ftrace_is_space(*try.at) && *try.at != '\n' && *try.at != ')')
			try.at++;
		event->prev_state.length = (size_t)(try.at - event->prev_state.bytes);
		if (event->prev_state.length == 0 || !ftrace_take_text(&try, form->next_comm))
			continue;
		event->prev_comm.length = (size_t)(found - event->prev_comm.bytes);
		cursor->at = try.at;
		return true;
	}
	return false;
}

/* Parses from next_comm on, searching from the right: a name is too short to contain both fields after it. */
static inline __attribute__((always_inline)) bool take_next(struct ftrace_cursor cursor, const struct ftrace_form *form,
							    struct ftrace_text_switch *event)
{
	event->next_comm.bytes = cursor.at;
	for (const char *at = cursor.end; (at = find_last_byte(cursor.at, at, form->next_pid[0]));) {
		struct ftrace_cursor try = {at, cursor.end};
		if (!ftrace_take_text(&try, form->next_pid) || !ftrace_take_signed(&try, &event->next_pid))
			continue;
		if (!ftrace_take_text(&try, form->next_prio) || !ftrace_take_signed(&try, &event->next_prio) ||
		    !ftrace_take_text(&try, form->end))
			continue;
		if (try.at < try.end && !ftrace_is_space(*try.at) && *try.at != '\r')
			continue;
		event->next_comm.length = (size_t)(at - event->next_comm.bytes);
		return true;
	}
	return false;
}

/* The usual form is compiled separately, so that its texts are constants. */
bool ftrace_take_switch(struct ftrace_cursor cursor, enum ftrace_form_name form, struct ftrace_text_switch *event)
{
	if (form == FTRACE_KERNEL)
		return take_prev(&cursor, &kernel_form, event) && take_next(cursor, &kernel_form, event);
	return take_prev(&cursor, &ftrace_forms[form], event) && take_next(cursor, &ftrace_forms[form], event);
}
