/* SPDX-License-Identifier: MIT
 *
 * The metrics of one run. They describe the workload: its tasks, identified by name or by descent, and the CPUs that
 * they may use. The tracer's own CPU and tasks do not count.
 *
 * They are computed for two parts of the run, in one pass. The whole run is from the first event of one of those tasks
 * to the last. The steady part is that in which all tasks of the workload run. It needs the number of tasks, and begins
 * when all of them have run once (after a barrier they start together) and ends with the first of them that exits. One
 * task in RUN_STEADY_ABSENT may be missing at either end: of 160 tasks of hackbench single ones exit early, because
 * their messages fit into the pipes, or get a CPU late. A slice, wait or migration belongs to the part in which it
 * ends.
 *
 * Run queue, idle share and idle waiting include only CPUs whose current task is known: each counts from its first
 * event in the trace on, except while its events are missing. Time before that event is excluded, and so is a CPU
 * without events, such as one that was always idle.
 *
 * The periods are always those of the whole workload. Of chosen tasks, and of names, metrics of the workload or its
 * CPUs (of_workload in the row) have no value.
 *
 * A metric that a run does not have is NaN, never 0. Pure. */
#ifndef COMPARE_RUN_METRICS_H
#define COMPARE_RUN_METRICS_H

#include "compare/metric.h"
#include "compare/metric_period.h"
#include "compare/run_metrics_scope.h"
#include "measure/migrations.h"
#include "trace/task_states.h"

struct run_metrics {
	double values[METRICS_MAX - METRIC_VALUES_MAX];       /* by metric_index(); complete after run_metrics_end() */
	struct distribution distributions[RUN_DISTRIBUTIONS]; /* of the tasks */
	bool has_tasks;                                       /* one of them left a CPU */
	uint64_t begin_ns, duration_ns;                       /* of the part; duration_ns 0: there is none */
};

/* The same of the tasks of one name, without distributions. */
struct run_name {
	char name[SCHED_COMM_SIZE + 1];
	struct run_metrics whole, steady;
};

struct run_names {
	struct run_name *items;
	size_t count;
};

struct run_metrics_work;

/* One run: begin; step for each event, migration for each migration reported by measure/migrations.h, cut for each
 * slice from task_states_end_cpu(); end. */
struct run_metrics_work *run_metrics_begin(const struct run_metrics_scope *scope);
void run_metrics_step(struct run_metrics_work *work, const struct task_states *states, const struct sched_event *event,
		      const struct task_step *step);
void run_metrics_migration(struct run_metrics_work *work, const struct task_states *states,
			   const struct migration *migration);
void run_metrics_cut(struct run_metrics_work *work, const struct task_states *states, const struct task_slice *slice);
/* Frees work (NULL: does nothing). Without a steady part its metrics are NaN but for throughput, which is always that
 * of the whole run. whole and steady NULL: the result is discarded. */
void run_metrics_end(struct run_metrics_work *work, const struct task_states *states, struct run_metrics *whole,
		     struct run_metrics *steady);
void run_metrics_free(struct run_metrics *metrics);

#endif
