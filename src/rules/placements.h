/* SPDX-License-Identifier: MIT
 *
 * Wakeups of a trace that wait to be judged by placement.h: called by rules.c. */
#ifndef RULES_PLACEMENTS_H
#define RULES_PLACEMENTS_H

#include "rules/rules_state.h"

/* A CPU is chosen for a fair task, by this event. */
void placements_begin(struct rules *rules, const struct task_states *states, const struct sched_event *event,
		      const struct key_event *keys);
/* A task is put on a queue. */
void placements_enqueue(struct rules *rules, const struct task_states *states, const struct sched_event *event,
			const struct key_event *keys);
/* A task begins or ceases to count on this CPU, by an event of the other. */
void placements_change(struct rules *rules, uint32_t cpu, uint32_t event_cpu, int32_t pid);
/* A task leaves the CPU. */
void placements_leave(struct rules *rules, const struct sched_event *event, enum leave_reason out);
/* Judges those that have waited. */
void placements_settle(struct rules *rules);

#endif
