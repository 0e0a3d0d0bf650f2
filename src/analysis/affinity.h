/* SPDX-License-Identifier: MIT
 *
 * On which CPUs tasks ran, and how often they changed. */
#ifndef ANALYSIS_AFFINITY_H
#define ANALYSIS_AFFINITY_H

#include "analysis/cpu_sets.h"
#include "sched/task_states.h"

struct affinity_task {
	uint64_t runs;    /* times that it was switched in, or was found running */
	uint64_t changes; /* of them, on another CPU than the time before */
	uint64_t cpu_time_ns;
	uint32_t last_cpu;
};

/* A zeroed struct is ready. By the numbers of the struct task_states. */
struct affinity {
	struct affinity_task *tasks;
	uint32_t count;
	struct cpu_sets ran;
};

/* Takes a slice, in the order of their ends. False when memory ran out. */
bool affinity_add(struct affinity *affinity, const struct task_slice *slice);
void affinity_free(struct affinity *affinity);

/* How faithful a task is to its CPU: the share of its runs, but the first, that were on the CPU of the run before, in
 * parts of 10000. -1 for a task that ran once. */
int affinity_score(uint64_t runs, uint64_t firsts, uint64_t changes);

#endif
