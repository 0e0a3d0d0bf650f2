/* SPDX-License-Identifier: MIT
 *
 * Typed events of the kernel's text trace. */
#ifndef TRACE_TEXT_EVENTS_H
#define TRACE_TEXT_EVENTS_H

#include "trace/event.h"
#include "trace/format/ftrace_text.h"

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

/* False at the end. An event with an earlier time than its predecessor gets the predecessor's time, and is counted. */
bool text_events_next(struct text_events *events, struct sched_event *event);

#endif
