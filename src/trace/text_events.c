/* SPDX-License-Identifier: MIT */
#include "trace/text_events.h"

#include <string.h>

#include "base/copy.h"
#include "trace/event_rows.h"
#include "trace/format/ftrace_record.h"

static struct sched_comm comm_of(struct ftrace_span name)
{
	struct sched_comm comm = {.length = (uint8_t)(name.length < SCHED_COMM_SIZE ? name.length : SCHED_COMM_SIZE)};

	copy_short(comm.bytes, name.bytes, comm.length);
	return comm;
}

/* The number of a state's text; texts beyond the table share the last number, which is unspecific. */
static uint64_t state_number(struct text_events *events, struct ftrace_span state)
{
	size_t length = state.length < TEXT_STATE_TEXT_SIZE ? state.length : TEXT_STATE_TEXT_SIZE - 1;

	for (unsigned int i = 0; i < events->state_count; i++) {
		size_t same = 0;
		while (same < length && events->states[i][same] == state.bytes[same])
			same++;
		if (same == length && events->states[i][same] == '\0')
			return i;
	}
	if (events->state_count == TEXT_STATES_MAX - 1)
		return TEXT_STATES_MAX - 1;
	memcpy(events->states[events->state_count], state.bytes, length);
	return events->state_count++;
}

static void take_switch(struct text_events *events, const struct ftrace_text_switch *from, struct sched_event *event)
{
	event->kind = SCHED_SWITCH;
	event->switched.prev = (struct sched_task){comm_of(from->prev_comm), from->prev_pid, from->prev_prio};
	event->switched.next = (struct sched_task){comm_of(from->next_comm), from->next_pid, from->next_prio};
	event->switched.prev_state = state_number(events, from->prev_state);
}

/* " NAME=NUMBER"; false if it is not there, or not within the range of the field. */
static bool take_number(struct ftrace_cursor *cursor, const char *name, enum event_field_type type, uint64_t *number)
{
	int32_t value;

	if (!ftrace_take_text(cursor, " ") || !ftrace_take_text(cursor, name) || !ftrace_take_text(cursor, "="))
		return false;
	if (type != EVENT_SIGNED)
		return ftrace_take_number(cursor, type == EVENT_LONG ? UINT64_MAX : UINT32_MAX, number);
	if (!ftrace_take_signed(cursor, &value))
		return false;
	*number = (uint64_t)value;
	return true;
}

/* Up to the end. Kernels before 4.14 have success= between them. */
static bool take_numbers(struct ftrace_cursor cursor, const struct event_row_field *fields, struct sched_event *event)
{
	uint64_t number;

	for (; fields->name; fields++) {
		struct ftrace_cursor try = cursor;
		if (take_number(&try, "success", EVENT_NUMBER, &number))
			cursor = try;
		if (!take_number(&cursor, fields->name, fields->type, &number))
			return false;
		event_field_set(fields, number, event);
	}
	return cursor.at == cursor.end || ftrace_is_space(*cursor.at);
}

/* "comm=NAME pid=7" and further numbers: the name ends at the first position with all of them in their order. */
static bool take_fields(struct ftrace_span text, const struct event_row_field *fields, struct sched_event *event)
{
	struct ftrace_cursor cursor = {text.bytes, text.bytes + text.length};
	const char *found;

	if (!ftrace_take_text(&cursor, "comm="))
		return false;
	const char *name = cursor.at;
	for (; ftrace_find_text(&cursor, " pid=", &found); cursor.at = found + 1) {
		const struct sched_comm comm = comm_of((struct ftrace_span){name, (size_t)(found - name)});
		if (!take_numbers((struct ftrace_cursor){found, cursor.end}, fields + 1, event))
			continue;
		memcpy((char *)event + fields->member, &comm, sizeof(comm));
		return true;
	}
	return false;
}

static bool is_named(const struct ftrace_text_event *from, const char *name)
{
	return from->name.length == strlen(name) && memcmp(from->name.bytes, name, from->name.length) == 0;
}

/* Any event but a switch. */
static void take_other(struct text_events *events, const struct ftrace_text_event *from, struct sched_event *event)
{
	for (int kind = SCHED_WAKEUP; kind < SCHED_MARK; kind++) {
		const struct event_row *row = &event_rows[kind];
		if (!is_named(from, row->name))
			continue;
		event->kind = (enum sched_event_kind)kind;
		if (take_fields(from->fields, row->fields, event))
			return;
		events->unread_events += row->use != EVENT_EXTRA;
	}
	event->kind = SCHED_OTHER_EVENT;
	if (!is_named(from, "tracing_mark_write"))
		return;
	event->kind = SCHED_MARK;
	event->mark = (struct sched_text){from->fields.bytes, from->fields.length};
}

static void take_time(struct text_events *events, uint64_t ts_ns, struct sched_event *event)
{
	if (ts_ns < events->last_ts) {
		events->backwards_events++;
		if (events->backwards_max_ns < events->last_ts - ts_ns)
			events->backwards_max_ns = events->last_ts - ts_ns;
		ts_ns = events->last_ts;
	}
	event->ts_ns = events->last_ts = ts_ns;
}

/* Source: trace_print_lat_fmt() in kernel/trace/trace_output.c. */
static enum sched_context context_of(char interrupt)
{
	switch (interrupt) {
	case 0:
		return SCHED_CONTEXT_UNKNOWN;
	case 's':
		return SCHED_CONTEXT_SOFTIRQ;
	case 'h':
	case 'H':
	case 'z':
	case 'Z':
		return SCHED_CONTEXT_HARDIRQ;
	default:
		return SCHED_CONTEXT_TASK;
	}
}

static bool next_switch(struct text_events *events, struct sched_event *event)
{
	if (!ftrace_text_next(&events->text, &events->last_switch))
		return false;
	event->kind = SCHED_SWITCH;
	event->cpu = events->last_switch.cpu;
	take_time(events, events->last_switch.ts_ns, event);
	return true;
}

bool text_events_next(struct text_events *events, struct sched_event *event)
{
	struct ftrace_text_event from;

	if (events->switches_only)
		return next_switch(events, event);
	if (!ftrace_text_next_event(&events->text, &from))
		return false;
	event->cpu = from.cpu;
	if (from.kind == FTRACE_TEXT_LOST) {
		event->ts_ns = events->last_ts;
		event->kind = SCHED_LOST;
		event->common_pid = -1;
		event->context = SCHED_CONTEXT_UNKNOWN;
		event->lost.count = from.lost;
		event->lost.count_known = from.lost != 0;
		return true;
	}
	take_time(events, from.ts_ns, event);
	event->common_pid = from.pid;
	event->context = (uint8_t)context_of(from.interrupt);
	if (from.kind == FTRACE_TEXT_SWITCH) {
		events->last_switch = from.switched;
		take_switch(events, &from.switched, event);
	} else {
		take_other(events, &from, event);
	}
	return true;
}
