/* SPDX-License-Identifier: MIT
 *
 * The metrics of one run. They describe the workload: its tasks, identified by name or by descent, and the CPUs that
 * they may use, from the first event of one of those tasks to the last. The tracer's own CPU and tasks do not count.
 *
 * Run queue, idle share and idle waiting include only CPUs whose current task is known: each counts from its first
 * event in the trace on, except while its events are missing. Time before that event is excluded, and so is a CPU
 * without events, such as one that was always idle.
 *
 * A metric that a run does not have is NaN, never 0. Pure. */
#ifndef COMPARE_RUN_METRICS_H
#define COMPARE_RUN_METRICS_H

#include "analysis/distribution.h"
#include "analysis/idle_waiting.h"
#include "analysis/migrations.h"
#include "analysis/workload_descendants.h"
#include "compare/metric.h"
#include "sched/task_states.h"

struct run_metrics {
	double values[METRIC_COUNT];                  /* complete after run_metrics_end() */
	struct distribution wakeup_latencies, slices; /* of the tasks, in nanoseconds */
	uint64_t duration_ns;                         /* from the tasks' first event to their last; 0: none seen */
};

struct run_metrics_work;

struct run_metrics_scope {
	/* The comms of the workload's tasks, separated by a space. NULL: the roots and all their descendants;
	 * without roots, every task except idle tasks, kernel tasks and picknext's own. */
	const char *task_names;
	const int32_t *roots; /* PIDs, ascending; analysis/workload_descendants.h */
	size_t root_count;
	const uint64_t *cpus; /* TASK_CPUS_MAX bits, one per CPU; NULL: all. Must outlive the work. */
	double throughput;    /* or NAN */
};

/* One run: begin; step for each event, migration for each migration reported by analysis/migrations.h, cut for each
 * slice from task_states_end_cpu(); end. begin returns NULL, step and cut return false if memory runs out. */
struct run_metrics_work *run_metrics_begin(const struct run_metrics_scope *scope);
bool run_metrics_step(struct run_metrics_work *work, const struct task_states *states, const struct sched_event *event,
		      const struct task_step *step);
void run_metrics_migration(struct run_metrics_work *work, const struct task_states *states,
			   const struct migration *migration);
bool run_metrics_cut(struct run_metrics_work *work, const struct task_states *states, const struct task_slice *slice);
/* Frees work (NULL: does nothing). metrics NULL: the result is discarded. False if memory ran out. */
bool run_metrics_end(struct run_metrics_work *work, const struct task_states *states, struct run_metrics *metrics);
void run_metrics_free(struct run_metrics *metrics);

#endif
