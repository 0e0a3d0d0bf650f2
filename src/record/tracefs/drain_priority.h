/* SPDX-License-Identifier: MIT
 *
 * Real-time priority (SCHED_RR) for a tracer that drains too slowly because traced tasks occupy its CPU. Its use is
 * recorded in the metadata (drain_realtime). */
#ifndef RECORD_TRACEFS_DRAIN_PRIORITY_H
#define RECORD_TRACEFS_DRAIN_PRIORITY_H

#include <sched.h>
#include <stdbool.h>

/* Zeroed: not raised. */
struct drain_priority {
	bool is_raised, was_refused;
	bool was_used; /* stays true after drain_priority_restore() */
	int policy;    /* the original policy */
	struct sched_param param;
};

/* Raises the calling thread. If the kernel refuses, the thread keeps its policy. */
void drain_priority_raise(struct drain_priority *priority);
void drain_priority_restore(struct drain_priority *priority);

#endif
