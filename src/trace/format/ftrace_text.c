/* SPDX-License-Identifier: MIT */
#include "trace/format/ftrace_text.h"

#include <string.h>

#include "base/find_byte.h"
#include "trace/format/ftrace_record.h"

#define COMM_LENGTH_MAX 15u  /* TASK_COMM_LEN without the NUL */
#define RECORD_MAX      512u /* bytes of a record whose names contain newlines; real records are far shorter */
#define PAGE_HEADER_MAX 4096 /* bytes before the tracer line of a trace in a page */

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

/* A name with newlines spreads a record over several lines. Such a record is accepted only if both names have a valid
 * length; otherwise a truncated line would be joined with the next one. */
static bool take_spread_switch(struct ftrace_text *text, const char *payload, struct ftrace_text_switch *event)
{
	const char *limit = record_limit(text, payload);
	const char *end = line_end(payload, limit);

	while (end < limit) {
		end = line_end(end + 1, limit);
		if (end == limit && limit < text->end)
			return false;
		if (ftrace_take_switch((struct ftrace_cursor){payload, end}, FTRACE_KERNEL, event) &&
		    event->prev_comm.length <= COMM_LENGTH_MAX && event->next_comm.length <= COMM_LENGTH_MAX) {
			move_behind(text, end);
			text->form = FTRACE_KERNEL;
			return true;
		}
	}
	return false;
}

static inline bool is_event(const struct ftrace_head *head, const char *name)
{
	return head->event.length == strlen(name) && memcmp(head->event.bytes, name, head->event.length) == 0;
}

/* The last field of the other events that print a name; length 0 if there is none. */
static struct ftrace_span last_field(const struct ftrace_head *head)
{
#define FIELD(text) ((struct ftrace_span){(text), sizeof(text) - 1})
	if (is_event(head, "sched_wakeup") || is_event(head, "sched_wakeup_new") || is_event(head, "sched_waking"))
		return FIELD(" target_cpu=");
	if (is_event(head, "sched_pi_setprio"))
		return FIELD(" newprio=");
	return is_event(head, "sched_migrate_task") ? FIELD(" dest_cpu=") : FIELD("");
#undef FIELD
}

/* True if the last field is on the first line of the event, as it nearly always is, after a PID. */
static bool ends_with(const struct ftrace_text *text, const char *name, struct ftrace_span wanted)
{
	const struct ftrace_cursor line = {name, text->at};
	const char *equals = find_last_byte(name, text->at, '=');
	const char *pid;

	return equals && (size_t)(equals + 1 - name) > wanted.length &&
	       memcmp(equals + 1 - wanted.length, wanted.bytes, wanted.length) == 0 &&
	       ftrace_find_text(&line, " pid=", &pid) && pid < equals && (size_t)(pid - name) <= COMM_LENGTH_MAX;
}

/* Skips the further lines of such an event if its name contains newlines. */
static void skip_spread_event(struct ftrace_text *text, const struct ftrace_head *head)
{
	struct ftrace_cursor record = {head->payload, record_limit(text, head->payload)};
	const struct ftrace_span wanted = last_field(head);
	const char *pid;
	const char *last;

	if (!wanted.length || !ftrace_take_text(&record, "comm="))
		return;
	const char *name = record.at;
	if (ends_with(text, name, wanted))
		return;
	/* The name may contain " pid=" itself; the real field has the other fields on its line. */
	while (ftrace_find_text(&record, " pid=", &pid) && (size_t)(pid - name) <= COMM_LENGTH_MAX) {
		record.at = pid + 1;
		if (!ftrace_find_text(&record, wanted.bytes, &last) || last < text->at)
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

/* The start of a name with newlines was counted as malformed lines: take them back. */
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

void ftrace_text_add_loss(struct ftrace_text *text, const struct loss *loss)
{
	size_t i = 0;

	while (i < text->loss_count && text->losses[i].cpu != loss->cpu)
		i++;
	if (i == FTRACE_TEXT_LOSSES_MAX)
		i--;
	if (i == text->loss_count)
		text->losses[text->loss_count++] = (struct loss){.cpu = loss->cpu};
	text->losses[i].places += loss->places;
	if (text->losses[i].events <= UINT64_MAX - loss->events)
		text->losses[i].events += loss->events;
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
	ftrace_text_add_loss(text, &(struct loss){.cpu = (uint32_t)cpu, .places = 1, .events = events});
	event->kind = FTRACE_TEXT_LOST;
	event->cpu = (uint32_t)cpu;
	event->lost = events;
	return true;
}

/* "# tracer: nop", "# entries-in-buffer/entries-written: 140080/250280   #P:4" */
static void take_comment(struct ftrace_text *text, struct ftrace_cursor line)
{
	uint64_t kept;
	uint64_t written;

	ftrace_skip_spaces(&line);
	text->headers += ftrace_take_text(&line, "# tracer:");
	if (!ftrace_take_text(&line, "# entries-in-buffer/entries-written: "))
		return;
	if (!ftrace_take_number(&line, UINT64_MAX, &kept) || !ftrace_take_text(&line, "/") ||
	    !ftrace_take_number(&line, UINT64_MAX, &written))
		return;
	text->entries = kept;
	if (written > kept)
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

/* Removes what the kernel's log, and syslog or the journal before it, put at the start of a line:
 * "[  100.100002] ", "[  100.100002][   T17] ", "Nov 28 12:00:00 host kernel: [...] ". False if there is nothing. */
static bool skip_log_prefix(struct ftrace_cursor *line)
{
	struct ftrace_cursor start = {line->at, line->end - line->at > 128 ? line->at + 128 : line->end};
	const char *found;
	uint64_t number;
	bool is_log = ftrace_find_text(&start, " kernel: ", &found);

	if (is_log)
		start.at = found + strlen(" kernel: ");
	struct ftrace_cursor time = {start.at, line->end};
	if (ftrace_take_text(&time, "[")) {
		ftrace_skip_spaces(&time);
		if (ftrace_take_number(&time, UINT32_MAX, &number) && ftrace_take_text(&time, ".") &&
		    ftrace_take_number(&time, UINT32_MAX, &number) && ftrace_take_text(&time, "]")) {
			const char *bracket = ftrace_take_text(&time, "[") ? memchr(time.at, ']', 8) : NULL;
			if (bracket && bracket < time.end)
				time.at = bracket + 1;
			ftrace_take_text(&time, " ");
			start.at = time.at;
			is_log = true;
		}
	}
	line->at = is_log ? start.at : line->at;
	return is_log;
}

/* An address of a stack: "ffffffff81234567 __schedule+0x2a". */
static bool is_address(struct ftrace_cursor line)
{
	const char *start = line.at;

	while (line.at < line.end && (ftrace_is_digit(*line.at) || (*line.at >= 'a' && *line.at <= 'f')))
		line.at++;
	return line.at - start >= 8 && line.at < line.end && *line.at == ' ';
}

/* Lines between events: of a stack, and those that a tool adds. */
static bool is_known(struct ftrace_cursor line)
{
	static const char *const starts[] = {
	    "=> ", "cpus=", "version = ", "CPU ", "Dumping ftrace buffer:", "------------", "(ftrace buffer empty)",
	};

	if (skip_log_prefix(&line))
		return true;
	ftrace_skip_spaces(&line);
	for (size_t i = 0; i < sizeof(starts) / sizeof(*starts); i++)
		if (ftrace_take_text(&line, starts[i]))
			return true;
	return is_address(line);
}

static bool is_page(struct ftrace_cursor text)
{
	while (text.at < text.end && (ftrace_is_space(*text.at) || *text.at == '\n' || *text.at == '\r'))
		text.at++;
	return ftrace_take_text(&text, "<!DOCTYPE ") || ftrace_take_text(&text, "<!doctype ") ||
	       ftrace_take_text(&text, "<html");
}

/* Moves to the next trace in a page; its other data, such as a list of processes, has no tracer line. */
static void find_trace(struct ftrace_text *text)
{
	const struct ftrace_cursor rest = {text->at, text->end};
	const char *found = text->end;

	while (text->at < text->end &&
	       ftrace_find_text(&(struct ftrace_cursor){text->at, text->end}, "class=\"trace-data\"", &found)) {
		struct ftrace_cursor data = {line_end(found, text->end), text->end};
		text->at = data.at;
		if (data.end - data.at > PAGE_HEADER_MAX)
			data.end = data.at + PAGE_HEADER_MAX;
		if (ftrace_find_text(&data, "# tracer:", &found))
			break;
		found = text->end;
	}
	text->at = found;
	for (const char *at = rest.at; at < text->at; at++)
		text->line += *at == '\n';
}

void ftrace_text_open(struct ftrace_text *text, const char *bytes, size_t length)
{
	*text = (struct ftrace_text){
	    .start = bytes, .at = bytes, .end = bytes ? bytes + length : bytes, .form = FTRACE_FORMS};
	text->is_page = is_page((struct ftrace_cursor){text->at, text->end});
	if (text->is_page)
		find_trace(text);
}

void ftrace_text_open_beginning(struct ftrace_text *text, const char *bytes, size_t length, size_t size)
{
	ftrace_text_open(text, bytes, length);
	if ((size_t)(text->end - text->at) <= size)
		return;
	text->end = text->at + size;
	const char *last = find_last_byte(text->at, text->end, '\n');
	text->end = last ? last + 1 : text->end;
}

/* The first sched_switch that can be read decides the form of all others. */
static __attribute__((noinline)) bool take_first_switch(struct ftrace_text *text, struct ftrace_cursor payload,
							struct ftrace_text_switch *event)
{
	for (enum ftrace_form_name form = 0; form < FTRACE_FORMS; form++) {
		if (!ftrace_take_switch(payload, form, event))
			continue;
		text->form = form;
		return true;
	}
	return false;
}

static bool take_switch(struct ftrace_text *text, struct ftrace_cursor payload, struct ftrace_text_switch *event)
{
	if (text->form == FTRACE_FORMS ? take_first_switch(text, payload, event)
				       : ftrace_take_switch(payload, text->form, event))
		return true;
	if (text->form != FTRACE_KERNEL && text->form != FTRACE_FORMS)
		return false;
	return take_spread_switch(text, payload.at, event);
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

/* A line that is neither an event nor a comment. */
static __attribute__((noinline)) bool take_other_line(struct ftrace_text *text, struct ftrace_cursor line,
						      struct ftrace_text_event *event)
{
	struct ftrace_cursor start = line;

	ftrace_skip_spaces(&start);
	if (text->is_page && ftrace_take_text(&start, "</script>")) {
		find_trace(text);
		return false;
	}
	struct ftrace_cursor logged = line;
	skip_log_prefix(&logged);
	if (take_loss(text, logged, event))
		return true;
	text->headers += ftrace_take_text(&logged, "cpus=");
	if (!is_known(line))
		count_malformed(text, line.at);
	return false;
}

/* Parses one line; text->at is after it already. */
static bool take_line(struct ftrace_text *text, struct ftrace_cursor line, struct ftrace_text_event *event)
{
	struct ftrace_head head;

	if (!take_head(text, line, &head)) {
		if (is_comment(line) || is_blank(line))
			return false;
		return take_other_line(text, line, event);
	}
	event->kind = is_event(&head, "sched_switch") ? FTRACE_TEXT_SWITCH : FTRACE_TEXT_OTHER;
	event->ts_ns = head.ts_ns;
	event->cpu = head.cpu;
	event->layout = head.layout;
	event->pid = head.pid;
	event->comm = head.comm;
	event->interrupt = head.interrupt;
	event->name = head.event;
	event->fields.bytes = head.payload;
	if (event->kind == FTRACE_TEXT_SWITCH &&
	    !take_switch(text, (struct ftrace_cursor){head.payload, line.end}, &event->switched)) {
		/* Events of probes begin with an address: "(__probestub_sched_switch+0x4/0x10) arg=1". */
		if (head.payload == line.end || *head.payload != '(') {
			count_malformed(text, line.at);
			return false;
		}
		event->kind = FTRACE_TEXT_OTHER;
	}
	if (event->kind == FTRACE_TEXT_OTHER) {
		text->other_events++;
		skip_spread_event(text, &head);
	} else {
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
