/* SPDX-License-Identifier: MIT
 *
 * The tasks of a workload given by its first tasks instead of by names: these and all their descendants. The parent of
 * a task is the task that runs when its sched_wakeup_new is recorded, so every birth must be in the trace. A thread
 * that takes over its leader's PID on exec keeps its membership. Pure. */
#ifndef MEASURE_WORKLOAD_DESCENDANTS_H
#define MEASURE_WORKLOAD_DESCENDANTS_H

#include "trace/task_states.h"

/* Zero all members except the roots. */
struct descendants {
	/* PIDs of tasks that existed when the run began, ascending; not copied. Set them before the first event of
	 * each run; root_count 0: no task of that run belongs to the workload. */
	const int32_t *roots;
	size_t root_count;
	/* Internal: by task, over all runs. */
	uint8_t *is_in;
	uint32_t task_count;
	size_t capacity;
};

/* Processes the result of task_states_step(); call it before the event is counted. */
void descendants_step(struct descendants *descendants, const struct task_states *states, const struct task_step *step);

static inline bool descendants_has(const struct descendants *descendants, uint32_t task)
{
	return task < descendants->task_count && descendants->is_in[task];
}

void descendants_free(struct descendants *descendants);

#endif
