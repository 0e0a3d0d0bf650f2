/* SPDX-License-Identifier: MIT */
#include "trace/format/ftrace_text.h"

#include <string.h>

#include "base/find_byte.h"
#include "trace/format/ftrace_record.h"

#define COMM_LENGTH_MAX 15u  /* TASK_COMM_LEN without the NUL */
#define RECORD_MAX      512u /* bytes of a record whose names contain newlines; real records are far shorter */

static const char *line_end(const char *at, const char *end)
{
	return find_byte(at, end, '\n');
}

static const char *record_limit(const struct ftrace_text *text, const char *payload)
{
	return (size_t)(text->end - payload) > RECORD_MAX ? payload + RECORD_MAX : text->end;
}

/* Moves past the line that ends at end; end is in or after the current line. */
static void move_behind(struct ftrace_text *text, const char *end)
{
	for (const char *at = text->at; at < end; at++)
		text->line += *at == '\n';
	text->at = end < text->end ? end + 1 : end;
	if (end < text->end)
		text->line++;
}

/* A name with newlines spreads a record over several lines. Both names must then have a valid length;
 * otherwise a line that was cut would be joined with the next one. */
static bool take_spread_switch(struct ftrace_text *text, const char *payload, struct ftrace_text_switch *event)
{
	const char *limit = record_limit(text, payload);
	const char *end = line_end(payload, limit);

	while (end < limit) {
		end = line_end(end + 1, limit);
		if (end == limit && limit < text->end)
			return false;
		if (ftrace_take_switch((struct ftrace_cursor){payload, end}, event) &&
		    event->prev_comm.length <= COMM_LENGTH_MAX && event->next_comm.length <= COMM_LENGTH_MAX) {
			move_behind(text, end);
			return true;
		}
	}
	return false;
}

static inline bool is_event(const struct ftrace_head *head, const char *name)
{
	return head->event.length == strlen(name) && memcmp(head->event.bytes, name, head->event.length) == 0;
}

/* The last field of the other events that print a name, or NULL. */
static const char *last_field(const struct ftrace_head *head)
{
	if (is_event(head, "sched_wakeup") || is_event(head, "sched_wakeup_new") || is_event(head, "sched_waking"))
		return " target_cpu=";
	if (is_event(head, "sched_pi_setprio"))
		return " newprio=";
	return is_event(head, "sched_migrate_task") ? " dest_cpu=" : NULL;
}

/* Skips the further lines of such an event if its name contains newlines. */
static void skip_spread_event(struct ftrace_text *text, const struct ftrace_head *head)
{
	struct ftrace_cursor record = {head->payload, record_limit(text, head->payload)};
	const char *wanted = last_field(head);
	const char *pid;
	const char *last;

	if (!wanted || !ftrace_take_text(&record, "comm="))
		return;
	const char *name = record.at;
	/* The name may contain " pid=" itself; the real field has the other fields on its line. */
	while (ftrace_find_text(&record, " pid=", &pid) && (size_t)(pid - name) <= COMM_LENGTH_MAX) {
		record.at = pid + 1;
		if (!ftrace_find_text(&record, wanted, &last) || last < text->at)
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

/* The task column of a name with newlines begins on an earlier line, 16 bytes before its dash. */
static bool take_spread_head(const struct ftrace_text *text, struct ftrace_cursor line, struct ftrace_head *head,
			     const char **start)
{
	for (const char *dash = line.at; dash < line.end && dash < line.at + FTRACE_TASK_COLUMN; dash++) {
		if (*dash != '-' || (size_t)(dash - text->start) < FTRACE_TASK_COLUMN)
			continue;
		*start = dash - FTRACE_TASK_COLUMN;
		if ((*start == text->start || (*start)[-1] == '\n') &&
		    ftrace_take_column_head((struct ftrace_cursor){*start, line.end}, head))
			return true;
	}
	return false;
}

/* The lines with the start of the name were not malformed. */
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
	if (i == FTRACE_TEXT_LOSSES_MAX)
		i--;
	if (i == text->loss_count)
		text->losses[text->loss_count++] = (struct loss){.cpu = cpu};
	text->losses[i].places++;
	if (text->losses[i].events <= UINT64_MAX - events)
		text->losses[i].events += events;
}

/* The kernel's "CPU:2 [LOST 10 EVENTS]" and trace-cmd's "CPU:2 [10 EVENTS DROPPED]"; the number is optional
 * in both. */
static bool take_loss(struct ftrace_text *text, struct ftrace_cursor line, struct ftrace_text_event *event)
{
	uint64_t cpu;
	uint64_t events = 0;

	if (!ftrace_take_text(&line, "CPU") || (!ftrace_take_text(&line, ":") && !ftrace_take_text(&line, " ")))
		return false;
	if (!ftrace_take_number(&line, UINT32_MAX, &cpu) || !ftrace_take_text(&line, " ["))
		return false;
	bool kernel = ftrace_take_text(&line, "LOST ");
	if (line.at < line.end && ftrace_is_digit(*line.at))
		if (!ftrace_take_number(&line, UINT64_MAX, &events) || !ftrace_take_text(&line, " "))
			return false;
	if (!ftrace_take_text(&line, kernel ? "EVENTS]" : "EVENTS DROPPED]"))
		return false;
	add_loss(text, (uint32_t)cpu, events);
	event->kind = FTRACE_TEXT_LOST;
	event->cpu = (uint32_t)cpu;
	event->lost = events;
	return true;
}

/* "# entries-in-buffer/entries-written: 140080/250280   #P:4" */
static void take_comment(struct ftrace_text *text, struct ftrace_cursor line)
{
	uint64_t kept;
	uint64_t written;

	ftrace_skip_spaces(&line);
	if (!ftrace_take_text(&line, "# entries-in-buffer/entries-written: "))
		return;
	if (ftrace_take_number(&line, UINT64_MAX, &kept) && ftrace_take_text(&line, "/") &&
	    ftrace_take_number(&line, UINT64_MAX, &written) && written > kept)
		text->overwritten = written - kept;
}

static bool is_comment(struct ftrace_cursor line)
{
	ftrace_skip_spaces(&line);
	return line.at < line.end && *line.at == '#';
}

static bool is_blank(struct ftrace_cursor line)
{
	while (line.at < line.end && (ftrace_is_space(*line.at) || *line.at == '\r'))
		line.at++;
	return line.at == line.end;
}

void ftrace_text_open(struct ftrace_text *text, const char *bytes, size_t length)
{
	*text = (struct ftrace_text){.start = bytes, .at = bytes, .end = bytes ? bytes + length : bytes};
}

/* Finds the start of the next event; counts and skips lines that are not events. */
static bool take_head(struct ftrace_text *text, struct ftrace_cursor line, struct ftrace_head *head)
{
	const char *start;

	if (ftrace_take_column_head(line, head))
		return true;
	if (take_spread_head(text, line, head, &start)) {
		absorb_fragments(text, start);
		return true;
	}
	if (is_comment(line)) {
		take_comment(text, line);
		return false;
	}
	return ftrace_take_free_head(line, head);
}

/* Parses one line; text->at is after it already. */
static bool take_line(struct ftrace_text *text, struct ftrace_cursor line, struct ftrace_text_event *event)
{
	struct ftrace_head head;

	if (!take_head(text, line, &head)) {
		if (is_comment(line) || is_blank(line))
			return false;
		if (take_loss(text, line, event))
			return true;
		count_malformed(text, line.at);
		return false;
	}
	event->kind = is_event(&head, "sched_switch") ? FTRACE_TEXT_SWITCH : FTRACE_TEXT_OTHER;
	event->ts_ns = head.ts_ns;
	event->cpu = head.cpu;
	event->pid = head.pid;
	event->interrupt = head.interrupt;
	event->name = head.event;
	event->fields.bytes = head.payload;
	if (event->kind == FTRACE_TEXT_OTHER) {
		text->other_events++;
		skip_spread_event(text, &head);
	} else {
		if (!ftrace_take_switch((struct ftrace_cursor){head.payload, line.end}, &event->switched) &&
		    !take_spread_switch(text, head.payload, &event->switched)) {
			count_malformed(text, line.at);
			return false;
		}
		event->switched.timestamp = head.timestamp;
		event->switched.ts_ns = head.ts_ns;
		event->switched.cpu = head.cpu;
		text->switches++;
	}
	/* skip_spread_event() and take_spread_switch() have moved past further lines of the event. */
	event->fields.length = (size_t)(text->at - head.payload);
	while (event->fields.length && (event->fields.bytes[event->fields.length - 1] == '\n' ||
					event->fields.bytes[event->fields.length - 1] == '\r'))
		event->fields.length--;
	return true;
}

bool ftrace_text_next_event(struct ftrace_text *text, struct ftrace_text_event *event)
{
	while (text->at < text->end) {
		struct ftrace_cursor line = {text->at, line_end(text->at, text->end)};
		text->line++;
		text->at = line.end < text->end ? line.end + 1 : line.end;
		if (take_line(text, line, event))
			return true;
	}
	return false;
}

bool ftrace_text_next(struct ftrace_text *text, struct ftrace_text_switch *event)
{
	struct ftrace_text_event any;

	while (ftrace_text_next_event(text, &any)) {
		if (any.kind != FTRACE_TEXT_SWITCH)
			continue;
		*event = any.switched;
		return true;
	}
	return false;
}
