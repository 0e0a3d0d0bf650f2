/* SPDX-License-Identifier: MIT
 *
 * Times in which a task of higher priority waited runnable while a task of lower priority ran on a CPU that it may use.
 * Priorities are the kernel's effective ones (lower is more urgent, inheritance included): -1 deadline, 0-99 real time,
 * 100-139 nice -20 to 19; a running stopper (migration/N) outranks all. Idle tasks have none: see idle_waiting for idle
 * CPUs. A task may use the CPU on whose queue it waits, and those that it used before.
 *
 * Priorities are followed through time. If the priority of the waiting or of the running task changes, the inversion
 * ends; if they are still inverted, another begins. sched_pi_setprio shows the time of a change. Other changes are seen
 * at the next event that names the task, and happened at some time since the one before: if the two were not inverted
 * with both the old and the new priority, this time is not counted. The running task is the one of the lowest priority
 * when an inversion begins, as long as it runs. */
#ifndef MEASURE_INVERSIONS_H
#define MEASURE_INVERSIONS_H

#include "base/text_table.h"
#include "measure/cpu_sets.h"
#include "measure/episodes.h"
#include "trace/pass.h"

#define INVERSION_PRIORITIES 141 /* -1 to 139 */
#define INVERSION_ENDED_MAX  1024

/* An inversion that has ended, but whose tasks may have changed their priority before it did: the next event of each
 * shows it. */
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
	struct inversion_pair *pairs; /* in no order before inversions_sort() */
	uint32_t pair_count;
	uint64_t times, total_ns;
	struct longest_episodes longest;
	/* Internal. */
	struct text_table numbers; /* of pairs */
	size_t pair_capacity;
	struct cpu_sets used;
	struct episodes episodes;
	uint8_t *counted;  /* by task: the priority under which it is counted in waiting, plus 2; 0: not counted */
	uint16_t *unshown; /* by task: number of ended inversions that wait for its next event */
	uint32_t counted_tasks;
	struct ended_inversion *ended; /* INVERSION_ENDED_MAX */
	uint32_t ended_count;
	uint32_t waiting[INVERSION_PRIORITIES];                /* number of waiting tasks per priority */
	uint64_t waiting_at[(INVERSION_PRIORITIES + 63) / 64]; /* a bit for each priority that has any */
	int32_t lowest;                                        /* priority of a running task; -2 without one */
	uint32_t run;
	bool started;
};

/* They are called like idle_waiting_step() and idle_waiting_end(). */
void inversions_step(struct inversions *inversions, const struct task_states *states, uint32_t cpu, uint64_t now_ns,
		     const struct task_step *step);
void inversions_end(struct inversions *inversions, const struct task_states *states, uint64_t ts_ns);
/* The consumer that fills it in a pass. Times are since the start of each run. */
struct pass_consumer inversions_consumer(struct inversions *inversions);
/* Sorts the pairs, longest total time first. After the last inversions_end(). */
void inversions_sort(struct inversions *inversions);
void inversions_free(struct inversions *inversions);

#endif
