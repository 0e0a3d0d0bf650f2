/* SPDX-License-Identifier: MIT */
#include "trace/event_rows.h"

#include <stddef.h>
#include <string.h>

#include "base/build.h"

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

/* False if a __data_loc or __rel_loc name extends beyond the record. */
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

void event_field_set(const struct event_row_field *field, uint64_t number, struct sched_event *event)
{
	void *member = (char *)event + field->member;
	const uint32_t word = (uint32_t)number;

	if (field->type == EVENT_LONG || field->type == EVENT_STATE)
		memcpy(member, &number, sizeof(number));
	else
		memcpy(member, &word, sizeof(word));
}

static void load_text(const struct event_place *place, const struct ring_record *record, struct sched_text *text)
{
	const char *from = (const char *)record->data + place->offset;
	size_t length = record->length > place->offset ? strnlen(from, record->length - place->offset) : 0;

	if (length && from[length - 1] == '\n')
		length--;
	*text = (struct sched_text){length ? from : "", length};
}

bool event_row_decode(const struct event_layout *layout, const struct ring_record *record, struct sched_event *event)
{
	const struct event_row_field *fields = event_rows[event->kind].fields;

	for (size_t i = 0; fields[i].name; i++) {
		const struct event_place *place = &layout->places[i];
		void *member = (char *)event + fields[i].member;
		if (fields[i].type == EVENT_TEXT)
			load_text(place, record, member);
		else if (fields[i].type != EVENT_NAME)
			event_field_set(&fields[i], place->size ? decode_number(place, record->data) : 0, event);
		else if (!load_name(place, record, member))
			return false;
	}
	return true;
}

#define FIELD(name, type, member)                                                                                      \
	{                                                                                                              \
		(name), EVENT_##type, offsetof(struct sched_event, member), false                                      \
	}

/* The task that an event is about. */
#define TASK_FIELDS(prefix, member)                                                                                    \
	FIELD(prefix "comm", NAME, member.comm), FIELD(prefix "pid", SIGNED, member.pid),                              \
	    FIELD(prefix "prio", SIGNED, member.prio)

const struct event_row event_rows[SCHED_EVENT_ROWS] = {
    [SCHED_SWITCH] = {"sched",
		      "sched_switch",
		      HELP("a CPU leaves one task, in a state, for another"),
		      EVENT_NEEDED,
		      true,
		      {TASK_FIELDS("prev_", switched.prev), FIELD("prev_state", STATE, switched.prev_state),
		       TASK_FIELDS("next_", switched.next)}},
    [SCHED_WAKEUP] = {"sched",
		      "sched_wakeup",
		      HELP("a task can run again, on a CPU"),
		      EVENT_RECORDED,
		      true,
		      {TASK_FIELDS("", wakeup.task), FIELD("target_cpu", NUMBER, wakeup.target_cpu)}},
    [SCHED_WAKEUP_NEW] = {"sched",
			  "sched_wakeup_new",
			  HELP("a new task can run, on a CPU"),
			  EVENT_RECORDED,
			  true,
			  {TASK_FIELDS("", wakeup.task), FIELD("target_cpu", NUMBER, wakeup.target_cpu)}},
    [SCHED_MIGRATE] = {"sched",
		       "sched_migrate_task",
		       HELP("a task is moved from one CPU to another"),
		       EVENT_RECORDED,
		       true,
		       {TASK_FIELDS("", migrate.task), FIELD("orig_cpu", NUMBER, migrate.from_cpu),
			FIELD("dest_cpu", NUMBER, migrate.to_cpu)}},
    [SCHED_PI_SETPRIO] = {"sched",
			  "sched_pi_setprio",
			  HELP("priority inheritance changes the priority of a task"),
			  EVENT_OPTIONAL,
			  false,
			  {FIELD("comm", NAME, set_prio.task.comm), FIELD("pid", SIGNED, set_prio.task.pid),
			   FIELD("oldprio", SIGNED, set_prio.old_prio), FIELD("newprio", SIGNED, set_prio.task.prio)}},
    [SCHED_WAKING] = {"sched",
		      "sched_waking",
		      HELP("a task is about to be woken, by the running one"),
		      EVENT_EXTRA,
		      false,
		      {TASK_FIELDS("", wakeup.task), FIELD("target_cpu", NUMBER, wakeup.target_cpu)}},
    [SCHED_STAT_RUNTIME] =
	{"sched",
	 "sched_stat_runtime",
	 HELP("a running task is charged for CPU time, at ticks and when it leaves; shows who runs if "
	      "switches are missing"),
	 EVENT_EXTRA,
	 false,
	 {FIELD("comm", NAME, stat_runtime.comm), FIELD("pid", SIGNED, stat_runtime.pid),
	  FIELD("runtime", LONG, stat_runtime.runtime_ns)}},
    /* Other writers than trace_marker use the same event, for example trace_printk(). */
    [SCHED_MARK] =
	{"ftrace", "print", HELP("a text written to trace_marker"), EVENT_EXTRA, false, {FIELD("buf", TEXT, mark)}},
};
