/* SPDX-License-Identifier: MIT */
#include "format/ftrace_text.h"

#include <string.h>

#define NAME_MOST         15u  /* TASK_COMM_LEN less its NUL */
#define TASK_COLUMN       16u  /* the kernel prints "%16s-%-7d" */
#define RECORD_MOST       512u /* bytes of a record whose names hold newlines; a real one is far shorter */
#define SECONDS_MOST      18000000000u
#define FLAG_TOKENS_MOST  3
#define FLAG_LENGTH_MOST  16u
#define NANOSECOND_DIGITS 9u

struct cursor {
	const char *at, *end;
};

/* What every event line begins with: "TASK-PID [CPU] FLAGS SECONDS.FRACTION: NAME: ". */
struct head {
	uint32_t cpu;
	struct ftrace_span timestamp;
	uint64_t ts_ns;
	struct ftrace_span event; /* empty where no name with a colon follows, as with function traces */
	const char *payload;
};

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_space(char c)
{
	return c == ' ' || c == '\t';
}

static void skip_spaces(struct cursor *cursor)
{
	while (cursor->at < cursor->end && is_space(*cursor->at))
		cursor->at++;
}

static bool take_text(struct cursor *cursor, const char *wanted)
{
	size_t length = strlen(wanted);

	if ((size_t)(cursor->end - cursor->at) < length || memcmp(cursor->at, wanted, length) != 0)
		return false;
	cursor->at += length;
	return true;
}

static bool take_number(struct cursor *cursor, uint64_t most, uint64_t *value)
{
	const char *start = cursor->at;

	*value = 0;
	for (; cursor->at < cursor->end && is_digit(*cursor->at); cursor->at++) {
		uint64_t digit = (uint64_t)(*cursor->at - '0');
		if (digit > most || *value > (most - digit) / 10)
			return false;
		*value = *value * 10 + digit;
	}
	return cursor->at > start;
}

static bool take_signed(struct cursor *cursor, int32_t *value)
{
	bool negative = take_text(cursor, "-");
	uint64_t size;

	if (!take_number(cursor, INT32_MAX, &size))
		return false;
	*value = negative ? -(int32_t)size : (int32_t)size;
	return true;
}

/* SECONDS.FRACTION: with one to nine digits behind the point. */
static bool take_timestamp(struct cursor *cursor, struct head *head)
{
	const char *start = cursor->at;
	uint64_t seconds;
	uint64_t fraction;

	if (!take_number(cursor, SECONDS_MOST, &seconds) || !take_text(cursor, "."))
		return false;
	const char *point = cursor->at;
	if (!take_number(cursor, 999999999, &fraction))
		return false;
	size_t digits = (size_t)(cursor->at - point);
	if (digits > NANOSECOND_DIGITS)
		return false;
	head->timestamp = (struct ftrace_span){start, (size_t)(cursor->at - start)};
	for (; digits < NANOSECOND_DIGITS; digits++)
		fraction *= 10;
	head->ts_ns = seconds * 1000000000 + fraction;
	return take_text(cursor, ":");
}

static void take_event_name(struct cursor *cursor, struct head *head)
{
	skip_spaces(cursor);
	const char *start = cursor->at;
	const char *at = start;
	while (at < cursor->end && *at != ':' && !is_space(*at) && (size_t)(at - start) < 64)
		at++;
	head->event = (struct ftrace_span){start, 0};
	if (at < cursor->end && *at == ':') {
		head->event.length = (size_t)(at - start);
		cursor->at = at + 1;
		skip_spaces(cursor);
	}
	head->payload = cursor->at;
}

/* From the bracket of the CPU on. Between it and the time stand flags, where irq-info is on. */
static bool take_cpu_and_time(struct cursor cursor, struct head *head)
{
	uint64_t cpu;

	if (!take_text(&cursor, "[") || !take_number(&cursor, UINT32_MAX, &cpu) || !take_text(&cursor, "]"))
		return false;
	head->cpu = (uint32_t)cpu;
	for (int token = 0; token <= FLAG_TOKENS_MOST; token++) {
		skip_spaces(&cursor);
		struct cursor here = cursor;
		if (take_timestamp(&here, head)) {
			take_event_name(&here, head);
			return true;
		}
		while (cursor.at < cursor.end && !is_space(*cursor.at))
			if ((size_t)(++cursor.at - here.at) > FLAG_LENGTH_MOST)
				return false;
	}
	return false;
}

/* The kernel's own columns: the name ends at byte 16 whatever it holds, then come the PID and perhaps
 * the thread group, "(  123)" or "(-------)". */
static bool take_column_head(struct cursor cursor, struct head *head)
{
	uint64_t pid;

	if ((size_t)(cursor.end - cursor.at) <= TASK_COLUMN || cursor.at[TASK_COLUMN] != '-')
		return false;
	cursor.at += TASK_COLUMN + 1;
	if (!take_number(&cursor, INT32_MAX, &pid))
		return false;
	skip_spaces(&cursor);
	if (take_text(&cursor, "(")) {
		const char *close = memchr(cursor.at, ')', (size_t)(cursor.end - cursor.at));
		if (!close || close - cursor.at > 16)
			return false;
		cursor.at = close + 1;
		skip_spaces(&cursor);
	}
	return take_cpu_and_time(cursor, head);
}

/* Any column layout: the first bracket that a CPU, a time and an event follow. */
static bool take_free_head(struct cursor cursor, struct head *head)
{
	while (cursor.at < cursor.end) {
		const char *bracket = memchr(cursor.at, '[', (size_t)(cursor.end - cursor.at));
		if (!bracket)
			return false;
		cursor.at = bracket;
		if (take_cpu_and_time(cursor, head))
			return true;
		cursor.at++;
	}
	return false;
}

static bool find_text(const struct cursor *cursor, const char *wanted, const char **found)
{
	*found = memmem(cursor->at, (size_t)(cursor->end - cursor->at), wanted, strlen(wanted));
	return *found != NULL;
}

/* From "prev_comm=" to "next_comm=": the first place where all fields between them follow one another. */
static bool take_prev(struct cursor *cursor, struct ftrace_text_switch *event)
{
	const char *found;

	if (!take_text(cursor, "prev_comm="))
		return false;
	event->prev_comm.bytes = cursor->at;
	while (find_text(cursor, " prev_pid=", &found)) {
		struct cursor try = {found, cursor->end};
		cursor->at = found + 1;
		if (!take_text(&try, " prev_pid=") || !take_signed(&try, &event->prev_pid))
			continue;
		if (!take_text(&try, " prev_prio=") || !take_signed(&try, &event->prev_prio))
			continue;
		if (!take_text(&try, " prev_state="))
			continue;
		event->prev_state.bytes = try.at;
		while (try.at < try.end && !is_space(*try.at) && *try.at != '\n')
			try.at++;
		event->prev_state.length = (size_t)(try.at - event->prev_state.bytes);
		if (event->prev_state.length == 0 || !take_text(&try, " ==> next_comm="))
			continue;
		event->prev_comm.length = (size_t)(found - event->prev_comm.bytes);
		cursor->at = try.at;
		return true;
	}
	return false;
}

/* From the name on, sought from the right: a name is too short to hold both fields behind it. */
static bool take_next(struct cursor cursor, struct ftrace_text_switch *event)
{
	event->next_comm.bytes = cursor.at;
	for (const char *at = cursor.end; at > cursor.at;) {
		at = memrchr(cursor.at, ' ', (size_t)(at - cursor.at));
		if (!at)
			return false;
		struct cursor try = {at, cursor.end};
		if (!take_text(&try, " next_pid=") || !take_signed(&try, &event->next_pid))
			continue;
		if (!take_text(&try, " next_prio=") || !take_signed(&try, &event->next_prio))
			continue;
		if (try.at < try.end && !is_space(*try.at) && *try.at != '\r')
			continue;
		event->next_comm.length = (size_t)(at - event->next_comm.bytes);
		return true;
	}
	return false;
}

static bool take_switch(struct cursor cursor, struct ftrace_text_switch *event)
{
	return take_prev(&cursor, event) && take_next(cursor, event);
}

static const char *line_end(const char *at, const char *end)
{
	const char *found = memchr(at, '\n', (size_t)(end - at));

	return found ? found : end;
}

static const char *record_limit(const struct ftrace_text *text, const char *payload)
{
	return (size_t)(text->end - payload) > RECORD_MOST ? payload + RECORD_MOST : text->end;
}

/* Moves behind the line that ends at end, which lies in or behind the current one. */
static void move_behind(struct ftrace_text *text, const char *end)
{
	for (const char *at = text->at; at < end; at++)
		text->line += *at == '\n';
	text->at = end < text->end ? end + 1 : end;
	if (end < text->end)
		text->line++;
}

/* A name with newlines spreads a record over lines. Then both names must have the length of a name, or
 * a line that was cut would be joined with the next one. */
static bool take_spread_switch(struct ftrace_text *text, const char *payload, struct ftrace_text_switch *event)
{
	const char *limit = record_limit(text, payload);
	const char *end = line_end(payload, limit);

	while (end < limit) {
		end = line_end(end + 1, limit);
		if (end == limit && limit < text->end)
			return false;
		if (take_switch((struct cursor){payload, end}, event) && event->prev_comm.length <= NAME_MOST &&
		    event->next_comm.length <= NAME_MOST) {
			move_behind(text, end);
			return true;
		}
	}
	return false;
}

static bool is_event(const struct head *head, const char *name)
{
	return head->event.length == strlen(name) && memcmp(head->event.bytes, name, head->event.length) == 0;
}

/* The last field of the other events that print a name, or NULL. */
static const char *last_field(const struct head *head)
{
	if (is_event(head, "sched_wakeup") || is_event(head, "sched_wakeup_new") || is_event(head, "sched_waking"))
		return " target_cpu=";
	return is_event(head, "sched_migrate_task") ? " dest_cpu=" : NULL;
}

/* Passes over the further lines of such an event whose name holds newlines. */
static void skip_spread_event(struct ftrace_text *text, const struct head *head)
{
	struct cursor record = {head->payload, record_limit(text, head->payload)};
	const char *wanted = last_field(head);
	const char *pid;
	const char *last;

	if (!wanted || !take_text(&record, "comm="))
		return;
	const char *name = record.at;
	/* The name may hold " pid=" itself: the field's own is the one with the others on its line. */
	while (find_text(&record, " pid=", &pid) && (size_t)(pid - name) <= NAME_MOST) {
		record.at = pid + 1;
		if (!find_text(&record, wanted, &last) || last < text->at)
			return;
		if (!memchr(pid, '\n', (size_t)(last - pid))) {
			move_behind(text, line_end(last, text->end));
			return;
		}
	}
}

static void count_malformed(struct ftrace_text *text, const char *line_start)
{
	text->fragments[text->malformed_lines % FTRACE_TEXT_FRAGMENTS] = line_start;
	if (text->malformed_lines++ == 0)
		text->first_malformed_line = text->line;
}

/* The task column of a name with newlines begins on a line before, 16 bytes ahead of its dash. */
static bool take_spread_head(const struct ftrace_text *text, struct cursor line, struct head *head, const char **start)
{
	for (const char *dash = line.at; dash < line.end && dash < line.at + TASK_COLUMN; dash++) {
		if (*dash != '-' || (size_t)(dash - text->start) < TASK_COLUMN)
			continue;
		*start = dash - TASK_COLUMN;
		if ((*start == text->start || (*start)[-1] == '\n') &&
		    take_column_head((struct cursor){*start, line.end}, head))
			return true;
	}
	return false;
}

/* The lines that held its beginning were not malformed. */
static void absorb_fragments(struct ftrace_text *text, const char *start)
{
	while (text->malformed_lines > 0) {
		const char **last = &text->fragments[(text->malformed_lines - 1) % FTRACE_TEXT_FRAGMENTS];
		if (!*last || *last < start)
			return;
		*last = NULL;
		if (--text->malformed_lines == 0)
			text->first_malformed_line = 0;
	}
}

static void add_loss(struct ftrace_text *text, uint32_t cpu, uint64_t events)
{
	size_t i = 0;

	while (i < text->loss_count && text->losses[i].cpu != cpu)
		i++;
	if (i == FTRACE_TEXT_MOST_LOSSES)
		i--;
	if (i == text->loss_count)
		text->losses[text->loss_count++] = (struct ftrace_text_loss){.cpu = cpu};
	text->losses[i].marks++;
	if (text->losses[i].events <= UINT64_MAX - events)
		text->losses[i].events += events;
}

/* The kernel's "CPU:2 [LOST 10 EVENTS]" and trace-cmd's "CPU:2 [10 EVENTS DROPPED]", either also without
 * the number. */
static bool take_loss(struct ftrace_text *text, struct cursor line)
{
	uint64_t cpu;
	uint64_t events = 0;

	if (!take_text(&line, "CPU") || (!take_text(&line, ":") && !take_text(&line, " ")))
		return false;
	if (!take_number(&line, UINT32_MAX, &cpu) || !take_text(&line, " ["))
		return false;
	bool kernel = take_text(&line, "LOST ");
	if (line.at < line.end && is_digit(*line.at))
		if (!take_number(&line, UINT64_MAX, &events) || !take_text(&line, " "))
			return false;
	if (!take_text(&line, kernel ? "EVENTS]" : "EVENTS DROPPED]"))
		return false;
	add_loss(text, (uint32_t)cpu, events);
	return true;
}

/* "# entries-in-buffer/entries-written: 140080/250280   #P:4" */
static void take_comment(struct ftrace_text *text, struct cursor line)
{
	uint64_t kept;
	uint64_t written;

	skip_spaces(&line);
	if (!take_text(&line, "# entries-in-buffer/entries-written: "))
		return;
	if (take_number(&line, UINT64_MAX, &kept) && take_text(&line, "/") &&
	    take_number(&line, UINT64_MAX, &written) && written > kept)
		text->overwritten = written - kept;
}

static bool is_comment(struct cursor line)
{
	skip_spaces(&line);
	return line.at < line.end && *line.at == '#';
}

static bool is_blank(struct cursor line)
{
	while (line.at < line.end && (is_space(*line.at) || *line.at == '\r'))
		line.at++;
	return line.at == line.end;
}

void ftrace_text_open(struct ftrace_text *text, const char *bytes, size_t length)
{
	*text = (struct ftrace_text){.start = bytes, .at = bytes, .end = bytes ? bytes + length : bytes};
}

/* Finds what every event begins with; counts and passes over lines that are none. */
static bool take_head(struct ftrace_text *text, struct cursor line, struct head *head)
{
	const char *start;

	if (take_column_head(line, head))
		return true;
	if (take_spread_head(text, line, head, &start)) {
		absorb_fragments(text, start);
		return true;
	}
	if (is_comment(line)) {
		take_comment(text, line);
		return false;
	}
	if (take_free_head(line, head))
		return true;
	if (!is_blank(line) && !take_loss(text, line))
		count_malformed(text, line.at);
	return false;
}

/* Takes one line, which text->at already lies behind. */
static bool take_line(struct ftrace_text *text, struct cursor line, struct ftrace_text_switch *event)
{
	struct head head;

	if (!take_head(text, line, &head))
		return false;
	if (!is_event(&head, "sched_switch")) {
		text->other_events++;
		skip_spread_event(text, &head);
		return false;
	}
	if (!take_switch((struct cursor){head.payload, line.end}, event) &&
	    !take_spread_switch(text, head.payload, event)) {
		count_malformed(text, line.at);
		return false;
	}
	event->timestamp = head.timestamp;
	event->ts_ns = head.ts_ns;
	event->cpu = head.cpu;
	text->switches++;
	return true;
}

bool ftrace_text_next(struct ftrace_text *text, struct ftrace_text_switch *event)
{
	while (text->at < text->end) {
		struct cursor line = {text->at, line_end(text->at, text->end)};
		text->line++;
		text->at = line.end < text->end ? line.end + 1 : line.end;
		if (take_line(text, line, event))
			return true;
	}
	return false;
}
