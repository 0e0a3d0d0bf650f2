/* SPDX-License-Identifier: MIT
 *
 * Which task of one run is which of another, whatever their PIDs: those of the same (last) name, in the order of their
 * birth. Of tasks that were there before the trace, PIDs tell that order. The idle tasks are one; of kworkers the
 * number behind the colon does not count, since any of a pool may be the one. */
#ifndef ANALYSIS_TASK_MATCH_H
#define ANALYSIS_TASK_MATCH_H

#include "sched/task_states.h"

#define TASK_MATCH_IDLE 0u

/* What the same tasks of both runs have in common. */
struct task_pair {
	uint32_t tasks[2]; /* numbers in the machine, or TASK_NONE where a run has none */
	uint32_t pool;     /* number of the name, the same for all that share it */
	uint32_t rank;     /* from 1, in the pool */
	uint32_t pool_size;
};

struct task_match {
	struct task_pair *pairs; /* [0] the idle tasks */
	uint32_t pair_count;
	uint32_t matched, renumbered; /* pairs with a task in both; of them, those whose PIDs differ; without idle */
	uint32_t only[2];
	struct task_life *lives[2]; /* by PID, then by when they began */
	uint32_t life_count[2];
};

struct task_life {
	uint64_t start_ns;
	uint32_t pair;
	int32_t pid;
};

/* machine has read runs 0 and 1. starts_ns: of each task the time it was first seen at. False when memory runs out;
 * task_match_free() either way. */
bool task_match_make(const struct task_states *states, const uint64_t *starts_ns, struct task_match *match);
void task_match_free(struct task_match *match);

/* The pair of the task that the PID means at this time; UINT32_MAX for one that the run did not have. */
uint32_t task_match_find(const struct task_match *match, int run, int32_t pid, uint64_t ts_ns);

#endif
