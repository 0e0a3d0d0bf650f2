/* SPDX-License-Identifier: MIT
 *
 * The letters of prev_state, from the print fmt of sched_switch: prev_state=%s%s with the arguments
 *   REC->prev_state & MASK ? __print_flags(REC->prev_state & MASK, "|", { 1, "S" }, ...) : "R",
 *   REC->prev_state & BIT ? "+" : ""
 * The meaning of the bits differs between kernels, so it always comes from the trace. In all of them MASK has the bits
 * up to the highest named one, and BIT is the next. Source: include/trace/events/sched.h as tracefs shows it,
 * trace_print_flags_seq() in kernel/trace/trace_output.c. Input is hostile. */
#ifndef TRACE_FORMAT_STATE_NAMES_H
#define TRACE_FORMAT_STATE_NAMES_H

#include "trace/format/event_format.h"

#define STATE_NAMES_MAX 64

struct state_names {
	uint64_t mask, preempted; /* preempted: the bit of the "+"; 0 if it is not shown */
	struct text_span separator, none;
	size_t count;
	struct {
		uint64_t bits;
		struct text_span name;
	} names[STATE_NAMES_MAX];
};

/* STATUS_UNSUPPORTED if the print fmt has no such letters, STATUS_CORRUPT if their list is malformed. The event's text
 * must outlive *names. */
enum status state_names_parse(const struct event_format *format, struct state_names *names, struct error *err);

/* Writes the state as the kernel does, cut to size - 1 bytes. Returns the length written. */
size_t state_names_text(const struct state_names *names, uint64_t state, char *text, size_t size);

#endif
