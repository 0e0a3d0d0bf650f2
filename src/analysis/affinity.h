/* SPDX-License-Identifier: MIT
 *
 * On which CPUs tasks ran, and how often they changed. */
#ifndef ANALYSIS_AFFINITY_H
#define ANALYSIS_AFFINITY_H

#include "analysis/cpu_sets.h"
#include "trace/pass.h"

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

/* What fills it in a pass. */
struct pass_consumer affinity_consumer(struct affinity *affinity);

/* A task, or all tasks of a name. */
struct affinity_line {
	uint32_t comm, sets_index; /* in the sets of CPUs */
	int32_t pid;
	uint32_t tasks;
	uint64_t runs, changes, cpu_time_ns;
};

/* Fills lines with one line for each task, or for each name, that ran: those that changed CPUs most come first.
 * by_comm collects the CPUs of each name in names. lines has room for all tasks or names of the machine. Returns the
 * number of lines. */
size_t affinity_make_lines(const struct affinity *affinity, const struct task_states *states, bool by_comm,
			   struct cpu_sets *names, struct affinity_line *lines);

#endif
