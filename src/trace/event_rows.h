/* SPDX-License-Identifier: MIT
 *
 * The events that picknext understands, one row each. To add one: its kind and members in trace/event.h, its row and
 * the function that fills them in event_rows.c, and its meaning for tasks in trace/task_states.c. */
#ifndef TRACE_EVENT_ROWS_H
#define TRACE_EVENT_ROWS_H

#include "trace/event.h"
#include "trace/event_place.h"
#include "trace/format/ring_page.h"

#define EVENT_FIELDS_MAX 8

enum event_use {
	EVENT_NEEDED,   /* recorded by default; a trace without it is refused */
	EVENT_RECORDED, /* recorded by default */
	EVENT_OPTIONAL, /* the same, if the kernel has it */
	EVENT_EXTRA,    /* recorded only with certain options; if a field is unusable, the event is not decoded */
};

enum event_field_type {
	EVENT_NUMBER = 1, /* of any size; usually 32 bits */
	EVENT_LONG,       /* the same, usually 64 bits */
	EVENT_NAME,       /* a task's name: char comm[16] in older kernels, __data_loc char[] comm in newer ones */
	EVENT_TEXT,       /* from its offset to the end of the record */
};

struct event_row_field {
	const char *name; /* as in the event's format; NULL after the last field */
	enum event_field_type type;
	bool is_optional; /* size 0 in the layout if the kernel has no such field */
};

/* An event in one trace. */
struct event_layout {
	bool known; /* the trace has it */
	bool plain; /* its fields have the usual types: decode_plain.h */
	uint32_t id;
	uint32_t min_length; /* a shorter record cannot hold the fields */
	struct event_place places[EVENT_FIELDS_MAX];
};

struct event_row {
	const char *system, *name;
	const char *help; /* what it shows */
	enum event_use use;
	bool is_frequent; /* decode_plain.h has a fast way for it */
	struct event_row_field fields[EVENT_FIELDS_MAX + 1];
	/* Fills the members of the kind from a record of at least min_length bytes, whose places are in the order of
	 * fields. False if a name is outside of the record. */
	bool (*decode)(const struct event_place *places, const struct ring_record *record, struct sched_event *event);
};

/* By enum sched_event_kind. */
extern const struct event_row event_rows[SCHED_EVENT_ROWS];

#endif
