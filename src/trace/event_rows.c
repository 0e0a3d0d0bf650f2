/* SPDX-License-Identifier: MIT */
#include "trace/event_rows.h"

#include <string.h>

#include "base/help.h"

static void copy_name(const uint8_t *from, size_t size, struct sched_comm *comm)
{
	if (size >= SCHED_COMM_SIZE) {
		decode_plain_name(from, comm);
		return;
	}
	const uint8_t *end = size ? memchr(from, '\0', size) : NULL;
	comm->length = (uint8_t)(end ? (size_t)(end - from) : size);
	memset(comm->bytes, 0, sizeof(comm->bytes));
	if (comm->length)
		memcpy(comm->bytes, from, comm->length);
}

/* False if a __data_loc or __rel_loc name is outside of the record. */
static bool load_name(const struct event_place *place, const struct ring_record *record, struct sched_comm *comm)
{
	if (place->array == FIELD_ARRAY) {
		copy_name(record->data + place->offset, place->size, comm);
		return true;
	}
	uint32_t word;
	memcpy(&word, record->data + place->offset, sizeof(word));
	uint32_t offset = word & 0xffff;
	uint32_t size = word >> 16;
	if (place->array == FIELD_REL_LOC)
		offset += place->offset + 4;
	if (offset > record->length || size > record->length - offset)
		return false;
	copy_name(record->data + offset, size, comm);
	return true;
}

/* The fields of a task: its name, PID and priority. */
static bool decode_task(const struct event_place places[3], const struct ring_record *record, struct sched_task *task)
{
	task->pid = (int32_t)decode_number(&places[1], record->data);
	task->prio = (int32_t)decode_number(&places[2], record->data);
	return load_name(&places[0], record, &task->comm);
}

static bool decode_switch(const struct event_place *places, const struct ring_record *record, struct sched_event *event)
{
	event->switched.prev_state = decode_number(&places[3], record->data);
	return decode_task(places, record, &event->switched.prev) &&
	       decode_task(places + 4, record, &event->switched.next);
}

static bool decode_wakeup(const struct event_place *places, const struct ring_record *record, struct sched_event *event)
{
	event->wakeup.target_cpu = (uint32_t)decode_number(&places[3], record->data);
	return decode_task(places, record, &event->wakeup.task);
}

static bool decode_migrate(const struct event_place *places, const struct ring_record *record,
			   struct sched_event *event)
{
	event->migrate.from_cpu = (uint32_t)decode_number(&places[3], record->data);
	event->migrate.to_cpu = (uint32_t)decode_number(&places[4], record->data);
	return decode_task(places, record, &event->migrate.task);
}

static bool decode_set_prio(const struct event_place *places, const struct ring_record *record,
			    struct sched_event *event)
{
	event->set_prio.old_prio = (int32_t)decode_number(&places[3], record->data);
	return decode_task(places, record, &event->set_prio.task);
}

static bool decode_mark(const struct event_place *places, const struct ring_record *record, struct sched_event *event)
{
	uint32_t offset = places[0].offset;
	const char *text = (const char *)record->data + offset;
	size_t length = record->length > offset ? strnlen(text, record->length - offset) : 0;

	if (length && text[length - 1] == '\n')
		length--;
	event->mark.text = length ? text : "";
	event->mark.length = length;
	return true;
}

/* The fields of the task that an event is about, for decode_task(). prio: the name of its priority. */
#define TASK_FIELDS(prio)                                                                                              \
	{"comm", EVENT_NAME, false}, {"pid", EVENT_NUMBER, false},                                                     \
	{                                                                                                              \
		(prio), EVENT_NUMBER, false                                                                            \
	}

/* The name, PID and priority of a task come first, then what the event's function reads. */
const struct event_row event_rows[SCHED_EVENT_ROWS] = {
    [SCHED_SWITCH] = {"sched",
		      "sched_switch",
		      HELP("a CPU leaves one task, in a state, for another"),
		      EVENT_NEEDED,
		      true,
		      {{"prev_comm", EVENT_NAME, false},
		       {"prev_pid", EVENT_NUMBER, false},
		       {"prev_prio", EVENT_NUMBER, false},
		       {"prev_state", EVENT_LONG, false},
		       {"next_comm", EVENT_NAME, false},
		       {"next_pid", EVENT_NUMBER, false},
		       {"next_prio", EVENT_NUMBER, false}},
		      decode_switch},
    [SCHED_WAKEUP] = {"sched",
		      "sched_wakeup",
		      HELP("a task can run again, on a CPU"),
		      EVENT_RECORDED,
		      true,
		      {TASK_FIELDS("prio"), {"target_cpu", EVENT_NUMBER, false}},
		      decode_wakeup},
    [SCHED_WAKEUP_NEW] = {"sched",
			  "sched_wakeup_new",
			  HELP("a new task can run, on a CPU"),
			  EVENT_RECORDED,
			  true,
			  {TASK_FIELDS("prio"), {"target_cpu", EVENT_NUMBER, false}},
			  decode_wakeup},
    [SCHED_MIGRATE] = {"sched",
		       "sched_migrate_task",
		       HELP("a task is moved from one CPU to another"),
		       EVENT_RECORDED,
		       true,
		       {TASK_FIELDS("prio"), {"orig_cpu", EVENT_NUMBER, false}, {"dest_cpu", EVENT_NUMBER, false}},
		       decode_migrate},
    [SCHED_PI_SETPRIO] = {"sched",
			  "sched_pi_setprio",
			  HELP("priority inheritance changes the priority of a task"),
			  EVENT_OPTIONAL,
			  false,
			  {TASK_FIELDS("newprio"), {"oldprio", EVENT_NUMBER, false}},
			  decode_set_prio},
    [SCHED_WAKING] = {"sched",
		      "sched_waking",
		      HELP("a task is about to be woken, by the running one"),
		      EVENT_EXTRA,
		      false,
		      {TASK_FIELDS("prio"), {"target_cpu", EVENT_NUMBER, false}},
		      decode_wakeup},
    /* Other writers than trace_marker use the same event, for example trace_printk(). */
    [SCHED_MARK] = {"ftrace",
		    "print",
		    HELP("a text written to trace_marker"),
		    EVENT_EXTRA,
		    false,
		    {{"buf", EVENT_TEXT, false}},
		    decode_mark},
};
