/* SPDX-License-Identifier: MIT
 *
 * Matches the tasks of two runs whose PIDs differ: tasks with the same (last) name, in the order of their birth. Tasks
 * that existed before the trace are ordered by PID. All idle tasks are one task. The number after the colon of a
 * kworker is ignored, because the workers of a pool are interchangeable. */
#ifndef MEASURE_TASK_MATCH_H
#define MEASURE_TASK_MATCH_H

#include "trace/task_states.h"

#define TASK_MATCH_IDLE 0u

/* A pair of matched tasks. */
struct task_pair {
	uint32_t tasks[2]; /* task numbers, or TASK_NONE if a run has no such task */
	uint32_t pool;     /* number of the name, shared by all tasks with it */
	uint32_t rank;     /* from 1, in the pool */
	uint32_t pool_size;
};

struct task_match {
	struct task_pair *pairs; /* [0]: the idle tasks */
	uint32_t pair_count;
	uint32_t matched,
	    renumbered; /* pairs with a task in both runs, and those of them whose PIDs differ; without idle tasks */
	uint32_t only[2];
	struct task_life *lives[2]; /* by PID, then by start */
	uint32_t life_count[2];
};

struct task_life {
	uint64_t start_ns;
	uint32_t pair;
	int32_t pid;
};

/* states has processed runs 0 and 1. starts_ns: time at which each task was first seen. is_wanted: by task, true for
 * the tasks to match; NULL: all. Other tasks have no pair. Call task_match_free() afterwards. */
void task_match_make(const struct task_states *states, const uint64_t *starts_ns, const bool *is_wanted,
		     struct task_match *match);
void task_match_free(struct task_match *match);

/* The pair of the task with this PID at this time; UINT32_MAX if it has no pair. */
uint32_t task_match_find(const struct task_match *match, int run, int32_t pid, uint64_t ts_ns);

#endif
