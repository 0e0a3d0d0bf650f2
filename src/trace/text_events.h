/* SPDX-License-Identifier: MIT
 *
 * Typed events of a text trace, in the order of time. Internal to sched_source. */
#ifndef TRACE_TEXT_EVENTS_H
#define TRACE_TEXT_EVENTS_H

#include "trace/event.h"
#include "trace/format/text_order.h"

#define TEXT_STATES_MAX      64
#define TEXT_STATE_TEXT_SIZE 16

struct text_events {
	struct text_order order;
	struct ftrace_text sum;               /* for sched_source_text() */
	const struct ftrace_text_event *last; /* the event that was returned last */
	uint64_t unread_events;               /* events recorded by default with ambiguous fields */
	bool switches_only;                   /* set by the caller: sched_source_switches_only() */
	/* State texts; prev_state is an index. */
	char states[TEXT_STATES_MAX][TEXT_STATE_TEXT_SIZE];
	unsigned int state_count;
	size_t name_lengths[SCHED_EVENT_ROWS];
};

/* *events is zeroed; the bytes must outlive it. */
void text_events_open(struct text_events *events, const char *bytes, size_t length);

/* False at the end. */
bool text_events_next(struct text_events *events, struct sched_event *event);
/* The name in front of the last event if it is that of this task. */
bool text_events_find_name(const struct text_events *events, int32_t pid, struct sched_comm *comm);
void text_events_state(const struct text_events *events, uint64_t prev_state, char *text, size_t size);

#endif
