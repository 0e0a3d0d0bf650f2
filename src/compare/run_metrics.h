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
	/* The comms of the workload's tasks, separated by a space. NULL: the roots and all that they make; without
	 * roots every task but idle and kernel ones and picknext's own. */
	const char *task_names;
	const int32_t *roots; /* PIDs, ascending; analysis/workload_descendants.h */
	size_t root_count;
	const uint64_t *cpus; /* a bit each, TASK_CPUS_MAX of them; NULL: all. Must last until run_metrics_end(). */
	double throughput;    /* or NAN */
};

/* One run: begin, then for each event step, for each migration that analysis/migrations.h tells migration, for each
 * slice that task_states_end_cpu() gives cut, and end. NULL when memory runs out; so does false from step and cut. */
struct run_metrics_work *run_metrics_begin(const struct run_metrics_scope *scope);
bool run_metrics_step(struct run_metrics_work *work, const struct task_states *states, const struct sched_event *event,
		      const struct task_step *step);
void run_metrics_migration(struct run_metrics_work *work, const struct task_states *states,
			   const struct migration *migration);
bool run_metrics_cut(struct run_metrics_work *work, const struct task_states *states, const struct task_slice *slice);
/* Frees work (NULL: nothing). metrics NULL: nothing is wanted. False when memory ran out. */
bool run_metrics_end(struct run_metrics_work *work, const struct task_states *states, struct run_metrics *metrics);
void run_metrics_free(struct run_metrics *metrics);

#endif
