/* SPDX-License-Identifier: MIT
 *
 * The metrics that runs are compared by: what each is called, its unit, and which direction is better. */
#ifndef COMPARE_METRIC_H
#define COMPARE_METRIC_H

#include <stddef.h>

enum metric_direction { METRIC_LOWER_IS_BETTER = -1, METRIC_NEUTRAL, METRIC_HIGHER_IS_BETTER };

/* In the order in which they are shown. "Tasks" are those of the workload; "CPUs" those that it may use. */
enum run_metric {
	METRIC_THROUGHPUT,        /* work done per second, as the workload counted it: not from the trace */
	METRIC_SWITCHES,          /* sched_switch events of the CPUs, of whatever task, per second */
	METRIC_INVOLUNTARY_SHARE, /* of the tasks' switches out, in percent: state R or R+, preempted or yielded */
	METRIC_SLICE_MEAN,        /* the tasks' whole slices, from switched in to switched out */
	METRIC_SLICE_P50,
	METRIC_SLICE_P90,
	METRIC_SLICE_P99,
	METRIC_WAKEUP_P50, /* from woken (or forked) to running */
	METRIC_WAKEUP_P90,
	METRIC_WAKEUP_P99,
	METRIC_WAKEUP_MAX,
	METRIC_PREEMPTED_P50, /* from switched out while runnable to running again */
	METRIC_PREEMPTED_P99,
	METRIC_MIGRATIONS,        /* of the tasks between CPUs, per second; those at fork count */
	METRIC_MIGRATIONS_WAKEUP, /* causes: analysis/migrations.h */
	METRIC_MIGRATIONS_FORK,
	METRIC_MIGRATIONS_PULL,
	METRIC_MIGRATIONS_ACTIVE,
	METRIC_MIGRATIONS_OTHER,
	/* Jain's index over the CPU time of tasks of one name up to the end of the first of them (by then fixed work
	 * has not made them equal again), or of the run: (sum x)^2 / (n sum x^2), 1 where all had the same (Jain, Chiu
	 * and Hawe, DEC-TR-301, 1984). Of several names the mean, weighted by their tasks. NaN without two equal tasks.
	 */
	METRIC_FAIRNESS,
	/* Tasks that run or wait on a CPU, all but idle ones (the kernel's rq->nr_running): mean over time and CPUs */
	METRIC_RUN_QUEUE,
	/* Milliseconds per second that tasks waited while another CPU they may use was idle (analysis/idle_waiting.h)
	 */
	METRIC_IDLE_WAITING,
	METRIC_IDLE_SHARE, /* of the CPUs' time, in percent */
	METRIC_COUNT
};

struct metric {
	const char *name;    /* "wakeup_latency_p99_us": on the command line, in CSV and JSON */
	const char *heading; /* "wakeup latency p99" */
	const char *unit;    /* "us", "%", "/s", "" */
	enum metric_direction direction;
	const char *help; /* one line */
};

extern const struct metric metric_table[METRIC_COUNT];
/* The names, NULL-terminated: for nearest_name(). */
extern const char *const metric_names[METRIC_COUNT + 1];
/* METRIC_COUNT if there is none of that name. */
enum run_metric metric_find(const char *name, size_t length);

#endif
