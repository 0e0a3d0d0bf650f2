/* SPDX-License-Identifier: MIT */
#include "trace/text_events.h"

#include <string.h>

#include "base/copy.h"
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

static bool take_field(struct ftrace_cursor *cursor, const char *name, uint32_t *value)
{
	uint64_t number;

	if (!ftrace_take_text(cursor, name) || !ftrace_take_number(cursor, UINT32_MAX, &number))
		return false;
	*value = (uint32_t)number;
	return true;
}

/* " prio=120", or " oldprio=120 newprio=-1" of sched_pi_setprio. */
static bool take_prio(struct ftrace_cursor *cursor, int32_t *prio, int32_t *old_prio)
{
	if (old_prio)
		return ftrace_take_text(cursor, " oldprio=") && ftrace_take_signed(cursor, old_prio) &&
		       ftrace_take_text(cursor, " newprio=") && ftrace_take_signed(cursor, prio);
	return ftrace_take_text(cursor, " prio=") && ftrace_take_signed(cursor, prio);
}

/* "comm=NAME pid=7", the priority and the named fields (NULL: none), up to the end: the first position with all fields
 * in their order. Kernels before 4.14 have success= between them. */
static bool take_task(struct ftrace_span fields, struct sched_task *task, int32_t *old_prio, const char *first_name,
		      uint32_t *first, const char *second_name, uint32_t *second)
{
	struct ftrace_cursor cursor = {fields.bytes, fields.bytes + fields.length};
	const char *found;
	uint32_t success;

	if (!ftrace_take_text(&cursor, "comm="))
		return false;
	const char *name = cursor.at;
	while (ftrace_find_text(&cursor, " pid=", &found)) {
		struct ftrace_cursor try = {found, cursor.end};
		cursor.at = found + 1;
		if (!ftrace_take_text(&try, " pid=") || !ftrace_take_signed(&try, &task->pid))
			continue;
		if (!take_prio(&try, &task->prio, old_prio))
			continue;
		take_field(&try, " success=", &success);
		if ((first && !take_field(&try, first_name, first)) ||
		    (second && !take_field(&try, second_name, second)))
			continue;
		if (try.at < try.end && !ftrace_is_space(*try.at))
			continue;
		task->comm = comm_of((struct ftrace_span){name, (size_t)(found - name)});
		return true;
	}
	return false;
}

static bool is_named(const struct ftrace_text_event *from, const char *name)
{
	return from->name.length == strlen(name) && memcmp(from->name.bytes, name, from->name.length) == 0;
}

static void take_other(struct text_events *events, const struct ftrace_text_event *from, struct sched_event *event)
{
	bool taken = true;

	event->kind = SCHED_OTHER_EVENT;
	if (is_named(from, "sched_wakeup") || is_named(from, "sched_wakeup_new")) {
		event->kind = is_named(from, "sched_wakeup") ? SCHED_WAKEUP : SCHED_WAKEUP_NEW;
		taken = take_task(from->fields, &event->wakeup.task, NULL, " target_cpu=", &event->wakeup.target_cpu,
				  NULL, NULL);
	} else if (is_named(from, "sched_migrate_task")) {
		event->kind = SCHED_MIGRATE;
		taken = take_task(from->fields, &event->migrate.task, NULL, " orig_cpu=", &event->migrate.from_cpu,
				  " dest_cpu=", &event->migrate.to_cpu);
	} else if (is_named(from, "sched_pi_setprio")) {
		event->kind = SCHED_PI_SETPRIO;
		taken =
		    take_task(from->fields, &event->set_prio.task, &event->set_prio.old_prio, NULL, NULL, NULL, NULL);
	} else if (is_named(from, "tracing_mark_write")) {
		event->kind = SCHED_MARK;
		event->mark.text = from->fields.bytes;
		event->mark.length = from->fields.length;
	}
	if (taken)
		return;
	event->kind = SCHED_OTHER_EVENT;
	events->unread_events++;
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
