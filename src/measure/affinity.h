/* SPDX-License-Identifier: MIT
 *
 * CPUs on which tasks ran, and how often the tasks changed their CPU. */
#ifndef MEASURE_AFFINITY_H
#define MEASURE_AFFINITY_H

#include "measure/cpu_sets.h"
#include "trace/pass.h"

struct affinity_task {
	uint64_t runs;    /* times it was switched in or found running */
	uint64_t changes; /* number of runs on another CPU than the previous run */
	uint64_t cpu_time_ns;
	uint32_t last_cpu;
	bool end_cut; /* its last slice did not end with a switch out */
};

/* A zeroed struct is empty. Indexed by the task numbers of struct task_states. */
struct affinity {
	struct affinity_task *tasks;
	uint32_t count;
	struct cpu_sets ran;
};

/* Adds a slice; slices are ordered by their ends. */
void affinity_add(struct affinity *affinity, const struct task_slice *slice);
void affinity_free(struct affinity *affinity);

/* CPU affinity of a task: the share of runs, except the first, on the same CPU as the previous run, in parts of 10000.
 * -1 for a task that ran once. */
int affinity_score(uint64_t runs, uint64_t firsts, uint64_t changes);

/* The consumer that fills *affinity in a pass. */
struct pass_consumer affinity_consumer(struct affinity *affinity);

/* A task, or all tasks of the same name. */
struct affinity_line {
	uint32_t comm, sets_index; /* in the sets of CPUs */
	int32_t pid;
	uint32_t tasks;
	uint64_t runs, changes, cpu_time_ns;
};

/* One line per task or name that ran, most CPU changes first. */
struct affinity_lines {
	struct affinity_line *lines;
	size_t count;
	bool by_comm;
	const struct cpu_sets *sets; /* CPUs by sets_index */
	struct cpu_sets names;       /* CPUs of each name, if by_comm */
};

/* affinity must outlive lines. Needs no affinity_free_lines() after a failure. */
void affinity_make_lines(const struct affinity *affinity, const struct task_states *states, bool by_comm,
			 struct affinity_lines *lines);
void affinity_free_lines(struct affinity_lines *lines);

#endif
