/* SPDX-License-Identifier: MIT
 *
 * Times in which a task of higher priority waited runnable while a task of lower priority ran on a CPU that the first
 * one may use. Priorities are the kernel's effective ones (lower is more urgent, inheritance included): -1 deadline,
 * 0-99 real time, 100-139 nice -20 to 19; a running stopper (migration/N) outranks all. Idle tasks have none: see
 * idle_waiting for idle CPUs. A task may use the CPU on whose queue it waits, and those that it used before.
 *
 * An inversion ends if the priority of the waiting or of the running task changes; if the two are still inverted,
 * another one begins. sched_pi_setprio shows the time of a change. Another change is seen at the next event that names
 * the task, and happened at some time since the previous such event: this time is counted only if the two are inverted
 * with the old and with the new priority. The running task is the one with the lowest priority when the inversion
 * begins, as long as it runs. */
#ifndef MEASURE_INVERSIONS_H
#define MEASURE_INVERSIONS_H

#include "base/id_map.h"
#include "measure/cpu_sets.h"
#include "measure/episodes.h"
#include "trace/pass.h"

#define INVERSION_PRIORITIES 141 /* -1 to 139 */
#define INVERSION_ENDED_MAX  1024

/* An inversion that has ended, but whose tasks may have changed their priority before its end. The next event of each
 * task shows it. */
struct ended_inversion {
	struct episode episode;
	uint64_t end_ns;
	bool waiting_shown, running_shown;
};

/* All inversions of a pair of tasks. If several tasks ran during a wait, it is attributed to the one that ran for the
 * longest time. */
struct inversion_pair {
	uint32_t waiting, running;          /* numbers of tasks or of names */
	int32_t waiting_prio, running_prio; /* during the inversion; waiting_prio is lower */
	uint64_t times, total_ns, max_ns;
};

struct inversions {
	uint64_t threshold_ns;
	bool by_comm;
	bool real_time_only;  /* only waiting tasks with a priority below 100 */
	const uint64_t *cpus; /* bit mask of CPUs to consider; NULL: all */
	/* Results */
	struct inversion_pair *pairs; /* unordered before inversions_sort() */
	uint32_t pair_count;
	uint64_t times, total_ns;
	struct longest_episodes longest;
	/* Internal. */
	struct id_map tasks, priorities; /* tasks and priorities of pairs, each pair once */
	struct id_map numbers;           /* numbers in pairs, by number in tasks and in priorities */
	size_t pair_capacity;
	struct cpu_sets used;
	struct episodes episodes;
	uint8_t *counted;  /* by task: priority under which it is counted in waiting, plus 2; 0: not counted */
	uint16_t *unshown; /* by task: number of ended inversions that wait for its next event */
	uint32_t counted_tasks;
	struct ended_inversion *ended; /* INVERSION_ENDED_MAX items */
	uint32_t ended_count;
	uint32_t waiting[INVERSION_PRIORITIES];                /* number of waiting tasks per priority */
	uint64_t waiting_at[(INVERSION_PRIORITIES + 63) / 64]; /* a bit for each priority with a waiting task */
	int32_t lowest;                                        /* lowest priority of a running task; -2 if none runs */
	uint32_t run;
	bool started;
};

/* Called like idle_waiting_step() and idle_waiting_end(). */
void inversions_step(struct inversions *inversions, const struct task_states *states, uint32_t cpu, uint64_t now_ns,
		     const struct task_step *step);
void inversions_end(struct inversions *inversions, const struct task_states *states, uint64_t ts_ns);
/* The consumer that fills it in a pass. Times are since the start of each run. */
struct pass_consumer inversions_consumer(struct inversions *inversions);
/* Sorts the pairs, longest total time first. Call it after the last inversions_end(). */
void inversions_sort(struct inversions *inversions);
void inversions_free(struct inversions *inversions);

#endif
