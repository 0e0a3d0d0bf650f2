/* SPDX-License-Identifier: MIT */
#include "trace/source.h"

#include <stdlib.h>
#include <string.h>

#include "base/copy.h"
#include "base/memory.h"
#include "trace/event_rows.h"
#include "trace/format/ftrace_record.h"

/* --- Typed events of the kernel's text trace --- */

#define TEXT_STATES_MAX      64
#define TEXT_STATE_TEXT_SIZE 16

struct text_events {
	struct ftrace_text text;
	struct ftrace_text_switch last_switch; /* points into the trace */
	uint64_t last_ts;
	uint64_t backwards_events, backwards_max_ns;
	uint64_t unread_events; /* events recorded by default with ambiguous fields */
	bool switches_only;     /* set by the caller: sched_source_switches_only() */
	/* State texts; prev_state is an index. */
	char states[TEXT_STATES_MAX][TEXT_STATE_TEXT_SIZE];
	unsigned int state_count;
};

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

/* False at the end. An event with an earlier time than its predecessor gets the predecessor's time, and is counted.
 * Inlined, it would make the way of a trace.dat through sched_source_next() longer. */
__attribute__((noinline)) static bool text_events_next(struct text_events *events, struct sched_event *event)
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

/* --- Both kinds --- */

struct sched_source {
	const struct tracedat *trace; /* NULL for a text trace */
	struct sched_stream *stream;
	struct text_events *text;
	char *name;
	bool has_first; /* of a text trace: the first event was read ahead, to parse the header */
	bool first_given;
	struct sched_event first;
	struct leave_reason_table leave_reasons;
	struct trace_scope scope;
};

static void render(const void *context, uint64_t prev_state, char *text, size_t size)
{
	sched_source_state_text(context, prev_state, text, size);
}

static struct sched_source *make(const char *name)
{
	struct sched_source *source = xcalloc(1, sizeof(*source));

	source->name = xstrdup(name);
	source->leave_reasons.text = render;
	source->leave_reasons.context = source;
	return source;
}

enum status sched_source_open_dat(const struct tracedat *trace, const char *name, struct sched_source **source,
				  struct error *err)
{
	*source = make(name);
	(*source)->trace = trace;
	enum status status = sched_stream_open(trace, name, &(*source)->stream, err);
	if (status != STATUS_OK) {
		sched_source_close(*source);
		*source = NULL;
		return status;
	}
	trace_scope_open(&(*source)->scope, trace);
	sched_stream_tell_gaps((*source)->stream);
	return STATUS_OK;
}

enum status sched_source_open_text(const char *bytes, size_t length, const char *name, struct sched_source **source,
				   struct error *err)
{
	struct sched_source *made = make(name);

	*source = NULL;
	made->text = xcalloc(1, sizeof(*made->text));
	ftrace_text_open(&made->text->text, bytes, length);
	made->has_first = text_events_next(made->text, &made->first);
	if (!made->has_first && made->text->text.malformed_lines && !made->text->text.other_events) {
		error_set(err, STATUS_UNSUPPORTED, name,
			  "line %llu: not a kernel text trace; expected lines like TASK-PID [CPU] FLAGS SECONDS: EVENT",
			  (unsigned long long)made->text->text.first_malformed_line);
		sched_source_close(made);
		return STATUS_UNSUPPORTED;
	}
	*source = made;
	return STATUS_OK;
}

void sched_source_switches_only(struct sched_source *source)
{
	if (source->text)
		source->text->switches_only = true;
}

void sched_source_close(struct sched_source *source)
{
	if (!source)
		return;
	sched_stream_close(source->stream);
	trace_scope_free(&source->scope);
	free(source->text);
	free(source->name);
	free(source);
}

enum status sched_source_next(struct sched_source *source, struct sched_event *event, struct error *err)
{
	if (source->stream)
		return sched_stream_next(source->stream, event, err);
	if (source->has_first && !source->first_given) {
		source->first_given = true;
		*event = source->first;
		return STATUS_OK;
	}
	return text_events_next(source->text, event) ? STATUS_OK : STATUS_END;
}

void sched_source_state_text(const struct sched_source *source, uint64_t prev_state, char *text, size_t size)
{
	if (source->stream) {
		sched_state_text(source->stream, prev_state, text, size);
		return;
	}
	const char *state = prev_state < source->text->state_count ? source->text->states[prev_state] : "?";
	size_t length = strlen(state) < size ? strlen(state) : size - 1;
	memcpy(text, state, length);
	text[length] = '\0';
}

struct leave_reason_table *sched_source_leave_reasons(struct sched_source *source)
{
	return &source->leave_reasons;
}

void sched_source_losses(const struct sched_source *source, struct losses *losses)
{
	if (source->stream) {
		sched_stream_losses(source->stream, losses);
		return;
	}
	const struct ftrace_text *text = &source->text->text;
	for (size_t i = 0; i < text->loss_count; i++)
		losses_add(losses, &text->losses[i]);
}

uint64_t sched_source_overwritten(const struct sched_source *source)
{
	return source->text ? source->text->text.overwritten : 0;
}

uint64_t sched_source_backwards(const struct sched_source *source, uint64_t *max_ns)
{
	if (source->stream)
		return sched_stream_backwards(source->stream, max_ns);
	*max_ns = source->text->backwards_max_ns;
	return source->text->backwards_events;
}

uint64_t sched_source_malformed(const struct sched_source *source)
{
	return source->text ? source->text->text.malformed_lines + source->text->unread_events : 0;
}

const struct trace_scope *sched_source_scope(const struct sched_source *source)
{
	return &source->scope;
}

struct sched_stream *sched_source_stream(const struct sched_source *source)
{
	return source->stream;
}

uint64_t sched_source_dropped(const struct sched_source *source)
{
	uint64_t events = 0;

	for (size_t i = 0; source->trace && i < source->trace->cpu_count; i++)
		events += source->trace->cpus[i].dropped_events;
	return events;
}

uint64_t sched_source_dropped_last(const struct sched_source *source)
{
	return source->stream ? sched_stream_dropped_last(source->stream) : 0;
}

const char *sched_source_clock(const struct sched_source *source)
{
	return source->trace ? source->trace->clock : NULL;
}

bool sched_source_starts_late(const struct sched_source *source, uint32_t cpu)
{
	for (size_t i = 0; source->trace && i < source->trace->cpu_count; i++)
		if (source->trace->cpus[i].cpu == cpu)
			return sched_stream_starts_late(source->stream, i);
	return false;
}

const struct ftrace_text *sched_source_text(const struct sched_source *source)
{
	return source->text ? &source->text->text : NULL;
}

const struct ftrace_text_switch *sched_source_text_switch(const struct sched_source *source)
{
	return &source->text->last_switch;
}
