/* SPDX-License-Identifier: MIT */
#include "trace/text_events.h"

#include <string.h>

#include "base/copy.h"
#include "trace/event_rows.h"

#define MARK_EVENT "tracing_mark_write"

static struct sched_comm comm_of(struct ftrace_span name)
{
	struct sched_comm comm = {.length = (uint8_t)(name.length < SCHED_COMM_SIZE ? name.length : SCHED_COMM_SIZE)};

	copy_short(comm.bytes, name.bytes, comm.length);
	return comm;
}

/* The number of a state's text. Texts beyond the table share the last number, which means an unknown state. */
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

/* Decimal, or hexadecimal after 0x as trace-cmd prints the longs of 32-bit machines. */
static bool take_bits(struct ftrace_cursor *state, uint64_t *bits)
{
	static const char digits[] = "0123456789abcdef";
	const char *digit;

	if (!ftrace_take_text(state, "0x"))
		return ftrace_take_number(state, UINT64_MAX, bits);
	const char *start = state->at;
	for (*bits = 0; state->at < state->end && (digit = memchr(digits, *state->at, 16)); state->at++)
		*bits = *bits << 4 | (uint64_t)(digit - digits);
	return state->at > start && state->at - start <= 16;
}

/* The kernel's text of a raw state, as in TASK_REPORT since 4.14; earlier kernels differ above Z. */
static struct ftrace_span name_state(struct ftrace_span state, char text[TEXT_STATE_TEXT_SIZE])
{
	static const char letters[] = "SDTtXZPI";
	struct ftrace_cursor number = {state.bytes, state.bytes + state.length};
	uint64_t bits;
	size_t length = 0;

	if (!take_bits(&number, &bits) || number.at != number.end)
		return state;
	for (size_t bit = 0; letters[bit]; bit++) {
		if (!(bits >> bit & 1))
			continue;
		if (length && length < TEXT_STATE_TEXT_SIZE - 3)
			text[length++] = '|';
		if (length < TEXT_STATE_TEXT_SIZE - 3)
			text[length++] = letters[bit];
	}
	if (length == 0)
		text[length++] = 'R';
	if (bits >> 8)
		text[length++] = '+';
	return (struct ftrace_span){text, length};
}

static void take_switch(struct text_events *events, const struct ftrace_text_switch *from, struct sched_event *event)
{
	event->kind = SCHED_SWITCH;
	event->switched.prev = (struct sched_task){comm_of(from->prev_comm), from->prev_pid, from->prev_prio};
	event->switched.next = (struct sched_task){comm_of(from->next_comm), from->next_pid, from->next_prio};
	char text[TEXT_STATE_TEXT_SIZE];
	const bool is_number = ftrace_is_digit(*from->prev_state.bytes);

	event->switched.prev_state =
	    state_number(events, is_number ? name_state(from->prev_state, text) : from->prev_state);
}

/* A short name that is no constant. */
static inline bool take_name(struct ftrace_cursor *cursor, const char *name)
{
	const char *at = cursor->at;

	while (*name && at < cursor->end && *at == *name) {
		at++;
		name++;
	}
	cursor->at = *name ? cursor->at : at;
	return !*name;
}

/* " NAME=NUMBER"; false if it is not there, or not within the range of the field. */
static bool take_number(struct ftrace_cursor *cursor, const char *name, enum event_field_type type, uint64_t *number)
{
	int32_t value;

	if (!ftrace_take_text(cursor, " ") || !take_name(cursor, name) || !ftrace_take_text(cursor, "="))
		return false;
	if (type != EVENT_SIGNED)
		return ftrace_take_number(cursor, type == EVENT_LONG ? UINT64_MAX : UINT32_MAX, number);
	if (!ftrace_take_signed(cursor, &value))
		return false;
	*number = (uint64_t)value;
	return true;
}

/* Parses the rest of the line. Kernels before 4.14 have success= between the fields. */
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

/* " success=1" of kernels before 4.14. */
static void skip_success(struct ftrace_cursor *cursor)
{
	struct ftrace_cursor try = *cursor;
	uint64_t number;

	if (take_number(&try, "success", EVENT_NUMBER, &number))
		*cursor = try;
}

/* The same in the form of another tool: the texts before the fields of the event; NULL ends them. */
static bool take_form(struct ftrace_span text, const char *const *before, const struct event_row_field *fields,
		      struct sched_event *event)
{
	struct ftrace_cursor cursor = {text.bytes, text.bytes + text.length};
	const char *found;

	if (!before[1] || !ftrace_take_text(&cursor, before[0]))
		return false;
	const char *name = cursor.at;
	for (; ftrace_find_text(&cursor, before[1], &found); cursor.at = found + 1) {
		struct ftrace_cursor rest = {found, cursor.end};
		const struct sched_comm comm = comm_of((struct ftrace_span){name, (size_t)(found - name)});
		const struct event_row_field *field = fields + 1;
		int32_t number = 0;
		bool is_there = true;
		for (size_t i = 1; is_there && field->name && before[i]; i++, field++) {
			skip_success(&rest);
			is_there = ftrace_take_text(&rest, before[i]) && ftrace_take_signed(&rest, &number) &&
				   (number >= 0 || field->type == EVENT_SIGNED);
			if (is_there)
				event_field_set(field, (uint64_t)number, event);
			if (i == 2)
				ftrace_take_text(&rest, "]");
		}
		if (!is_there || field->name)
			continue;
		memcpy((char *)event + fields->member, &comm, sizeof(comm));
		return true;
	}
	return false;
}

/* The event's fields in the form of the text's switches. */
static bool take_other_form(enum ftrace_form_name name, enum sched_event_kind kind, struct ftrace_span text,
			    const struct event_row_field *fields, struct sched_event *event)
{
	if (name == FTRACE_FORMS)
		return take_other_form(FTRACE_REPORT, kind, text, fields, event) ||
		       take_other_form(FTRACE_OLD, kind, text, fields, event);
	const struct ftrace_form *form = &ftrace_forms[name];
	const bool is_migration = kind == SCHED_MIGRATE;
	const char *const before[] = {form->comm,
				      form->pid,
				      form->prio,
				      is_migration ? form->from_cpu : form->target_cpu,
				      is_migration ? form->to_cpu : NULL,
				      NULL};

	return form->comm && before[3] && (is_migration || kind == SCHED_WAKEUP || kind == SCHED_WAKEUP_NEW) &&
	       take_form(text, before, fields, event);
}

static bool is_named(const struct ftrace_text_event *from, const char *name, size_t length)
{
	return from->name.length == length && memcmp(from->name.bytes, name, length) == 0;
}

void text_events_open(struct text_events *events, const char *bytes, size_t length)
{
	text_order_open(&events->order, bytes, length);
	for (int kind = 0; kind < SCHED_EVENT_ROWS; kind++)
		events->name_lengths[kind] = strlen(event_rows[kind].name);
}

/* Any event but a switch. */
static void take_other(struct text_events *events, const struct ftrace_text_event *from, struct sched_event *event)
{
	for (int kind = SCHED_WAKEUP; kind < SCHED_MARK; kind++) {
		const struct event_row *row = &event_rows[kind];
		if (!is_named(from, row->name, events->name_lengths[kind]))
			continue;
		event->kind = (enum sched_event_kind)kind;
		if (take_fields(from->fields, row->fields, event) ||
		    take_other_form(events->order.parts[0].form, event->kind, from->fields, row->fields, event))
			return;
		/* An event of a probe that has the same name begins with an address. */
		events->unread_events +=
		    row->use != EVENT_EXTRA && (!from->fields.length || *from->fields.bytes != '(');
	}
	event->kind = SCHED_OTHER_EVENT;
	if (!is_named(from, MARK_EVENT, strlen(MARK_EVENT)))
		return;
	event->kind = SCHED_MARK;
	event->mark = (struct sched_text){from->fields.bytes, from->fields.length};
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

/* Not inlined, to keep the path of a trace.dat through sched_source_next() short. */
__attribute__((noinline)) bool text_events_next(struct text_events *events, struct sched_event *event)
{
	const struct ftrace_text_event *from;

	do {
		from = events->last = text_order_next(&events->order);
		if (!from)
			return false;
	} while (events->switches_only && from->kind != FTRACE_TEXT_SWITCH);
	event->ts_ns = from->ts_ns;
	event->cpu = from->cpu;
	if (from->kind == FTRACE_TEXT_LOST) {
		event->kind = SCHED_LOST;
		event->common_pid = -1;
		event->context = SCHED_CONTEXT_UNKNOWN;
		event->lost.count = from->lost;
		event->lost.count_known = from->lost != 0;
		return true;
	}
	event->kind = SCHED_SWITCH;
	if (events->switches_only)
		return true;
	event->common_pid = from->pid;
	event->context = (uint8_t)context_of(from->interrupt);
	if (from->kind == FTRACE_TEXT_SWITCH)
		take_switch(events, &from->switched, event);
	else
		take_other(events, from, event);
	return true;
}

bool text_events_find_name(const struct text_events *events, int32_t pid, struct sched_comm *comm)
{
	static const char unknown[] = "<...>";
	const struct ftrace_text_event *from = events->last;

	if (!from || from->kind == FTRACE_TEXT_LOST || from->pid != pid)
		return false;
	struct ftrace_span name = from->comm;
	while (name.length && ftrace_is_space(*name.bytes)) {
		name.bytes++;
		name.length--;
	}
	if (name.length == 0 || (name.length == strlen(unknown) && memcmp(name.bytes, unknown, name.length) == 0))
		return false;
	*comm = comm_of(name);
	return true;
}

void text_events_state(const struct text_events *events, uint64_t prev_state, char *text, size_t size)
{
	const char *state = prev_state < events->state_count ? events->states[prev_state] : "?";
	size_t length = strlen(state) < size ? strlen(state) : size - 1;

	memcpy(text, state, length);
	text[length] = '\0';
}
