/* SPDX-License-Identifier: MIT
 *
 * Puts the tasks, names and CPUs of a run that was processed by itself behind those of earlier runs, as if it had been
 * processed after them. */
#ifndef TRACE_TASK_STATES_ADD_H
#define TRACE_TASK_STATES_ADD_H

#include "base/error.h"
#include "trace/task.h"

/* From the numbers in the added states to those in the others. */
struct task_map {
	uint32_t first_task; /* tasks follow in their order */
	uint32_t run;        /* of the first run */
	uint32_t *comms;     /* by number */
};

/* Both are between runs. Call task_map_free() even after a failure. */
enum status task_states_add(struct task_states *states, const struct task_states *more, struct task_map *map,
			    struct error *err);
void task_map_free(struct task_map *map);

static inline uint32_t task_map_task(const struct task_map *map, uint32_t task)
{
	return task == TASK_NONE ? TASK_NONE : map->first_task + task;
}

#endif
