/* SPDX-License-Identifier: MIT
 *
 * Which tasks are a workload's where it is known by its first tasks, not by names: those, and all that they and theirs
 * make. Who makes a task is who runs as its sched_wakeup_new is recorded, so that the birth of each has to be in the
 * trace. A thread that goes on under its leader's PID, since it called exec, stays what it was. Pure. */
#ifndef ANALYSIS_WORKLOAD_DESCENDANTS_H
#define ANALYSIS_WORKLOAD_DESCENDANTS_H

#include "sched/task_states.h"

/* A zeroed one with roots is ready. */
struct descendants {
	/* PIDs of tasks that were there as the run began, ascending; must last. To be set before the first event of
	 * each run; root_count 0: all tasks of that run are others. */
	const int32_t *roots;
	size_t root_count;
	/* Its own: by task, over all runs. */
	uint8_t *is_in;
	uint32_t task_count, capacity;
};

/* Takes what task_states_step() answered, before the event is counted. False when memory ran out. */
bool descendants_step(struct descendants *descendants, const struct task_states *states, const struct task_step *step);

static inline bool descendants_has(const struct descendants *descendants, uint32_t task)
{
	return task < descendants->task_count && descendants->is_in[task];
}

void descendants_free(struct descendants *descendants);

#endif
