/* SPDX-License-Identifier: MIT
 *
 * The figures of one run that runs are compared by. They are of the workload: of its tasks, told by their names
 * or by whose descendants they are, and of the CPUs that they may use, from the first event of one of those tasks to
 * the last. The tracer's own CPU and tasks do not count.
 *
 * Run queue, idle share and idle waiting are of CPUs of which it is known who runs there: each counts from its first
 * event in the trace on, but where events of it are missing. What it did before that event is left out, and so is all
 * of a CPU without any, such as one that was idle all along.
 *
 * A figure that a run does not have is NaN, never 0. Pure. */
#ifndef ANALYSIS_RUN_METRICS_H
#define ANALYSIS_RUN_METRICS_H

#include "analysis/descent.h"
#include "analysis/distribution.h"
#include "analysis/idle_waiting.h"
#include "analysis/migrations.h"
#include "sched/task_states.h"

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
/* METRIC_COUNT where there is none of that name. */
enum run_metric metric_find(const char *name, size_t length);

struct run_metrics {
	double values[METRIC_COUNT];                  /* complete after run_metrics_end() */
	struct distribution wakeup_latencies, slices; /* of the tasks, in nanoseconds */
	uint64_t duration_ns;                         /* from the tasks' first event to their last; 0: none seen */
};

struct run_metrics_work;

struct run_metrics_scope {
	/* The comms of the workload's tasks, separated by a space. NULL: the roots and all that they make; without
	 * roots every task but idle and kernel ones and picknext's own. */
	const char *task_names;
	const int32_t *roots; /* PIDs, ascending; analysis/descent.h */
	size_t root_count;
	const uint64_t *cpus; /* a bit each, TASK_CPUS_MOST of them; NULL: all. Must last until run_metrics_end(). */
	double throughput;    /* or NAN */
};

/* One run: begin, then for each event step, for each migration that analysis/migrations.h tells migration, for each
 * slice that task_states_end_cpu() gives cut, and end. NULL when memory runs out; so does false from step and cut. */
struct run_metrics_work *run_metrics_begin(const struct run_metrics_scope *scope);
bool run_metrics_step(struct run_metrics_work *work, const struct task_states *machine, const struct sched_event *event,
		      const struct task_step *step);
void run_metrics_migration(struct run_metrics_work *work, const struct task_states *machine,
			   const struct migration *migration);
bool run_metrics_cut(struct run_metrics_work *work, const struct task_states *machine, const struct task_slice *slice);
/* Frees work (NULL: nothing). metrics NULL: nothing is wanted. False when memory ran out. */
bool run_metrics_end(struct run_metrics_work *work, const struct task_states *machine, struct run_metrics *metrics);
void run_metrics_free(struct run_metrics *metrics);

#endif
