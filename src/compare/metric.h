/* SPDX-License-Identifier: MIT
 *
 * The metrics of a comparison: names, units, and which direction is better. */
#ifndef COMPARE_METRIC_H
#define COMPARE_METRIC_H

#include <stddef.h>

enum metric_direction { METRIC_LOWER_IS_BETTER = -1, METRIC_NEUTRAL, METRIC_HIGHER_IS_BETTER };

/* In display order. "Tasks" are those of the workload; "CPUs" those that it may use. */
enum run_metric {
	METRIC_THROUGHPUT,        /* work done per second, reported by the workload: not from the trace */
	METRIC_SWITCHES,          /* sched_switch events of the CPUs, of any task, per second */
	METRIC_INVOLUNTARY_SHARE, /* of the tasks' switches out, in percent: state R or R+, preempted or yielded */
	METRIC_SLICE_MEAN,        /* the tasks' whole slices, from switch-in to switch-out */
	METRIC_SLICE_P50,
	METRIC_SLICE_P90,
	METRIC_SLICE_P99,
	METRIC_WAKEUP_P50, /* from wakeup (or fork) to running */
	METRIC_WAKEUP_P90,
	METRIC_WAKEUP_P99,
	METRIC_WAKEUP_MAX,
	METRIC_PREEMPTED_P50, /* from switch-out while runnable to running again */
	METRIC_PREEMPTED_P99,
	METRIC_MIGRATIONS,        /* of the tasks between CPUs, per second; includes those at fork */
	METRIC_MIGRATIONS_WAKEUP, /* causes: analysis/migrations.h */
	METRIC_MIGRATIONS_FORK,
	METRIC_MIGRATIONS_PULL,
	METRIC_MIGRATIONS_ACTIVE,
	METRIC_MIGRATIONS_OTHER,
	/* Jain's index over the CPU time of tasks with the same name, up to the exit of the first of them (later,
	 * fixed work equalizes them again) or the end of the run: (sum x)^2 / (n sum x^2), 1 if all had the same
	 * (Jain, Chiu and Hawe, DEC-TR-301, 1984). With several names: the mean weighted by number of tasks. NaN
	 * without two equal tasks. */
	METRIC_FAIRNESS,
	/* Tasks that run or wait on a CPU, except idle tasks (the kernel's rq->nr_running): mean over time and CPUs */
	METRIC_RUN_QUEUE,
	/* Milliseconds per second that tasks waited while another CPU they may use was idle (measure/idle_waiting.h)
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
	/* Why a deterministic guest does not show the metric, one string per reason; NULL: it does. Such a guest has no
	 * caches, its CPUs take turns, and its clock counts instructions, one per nanosecond. So order, preemptions,
	 * slices (of ticks), shares and numbers of decisions hold there, real time does not. */
	const char *needs_real_time;
};

extern const struct metric metric_table[METRIC_COUNT];
/* The names, NULL-terminated: for nearest_name(). */
extern const char *const metric_names[METRIC_COUNT + 1];
/* METRIC_COUNT if no metric has that name. */
enum run_metric metric_find(const char *name, size_t length);

#endif
