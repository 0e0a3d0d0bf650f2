/* SPDX-License-Identifier: MIT
 *
 * What the metrics of one part of a run are computed from: the whole run, or its steady part (compare/run_metrics.h).
 * Pure. */
#ifndef COMPARE_METRICS_PART_H
#define COMPARE_METRICS_PART_H

#include <stdbool.h>
#include <stdint.h>

#include "measure/distribution.h"
#include "trace/migration_cause.h"

/* Running totals of the machine since the first event of the run. */
struct machine_totals {
	uint64_t cpu_ns;    /* of all CPUs whose current task is known */
	uint64_t idle_ns;   /* the idle part of cpu_ns */
	uint64_t queued_ns; /* time multiplied by the number of tasks that run or wait there */
	uint64_t switches;
	uint64_t idle_waiting_ns;
};

/* A zeroed struct is a part that has not begun. A slice, wait or migration belongs to the part in which it ends. */
struct metrics_part {
	bool has_begun, has_ended;
	uint64_t begin_ns, end_ns; /* end_ns: up to now */
	struct machine_totals begin, end;
	uint64_t left, involuntary; /* switches out of the workload's tasks */
	uint64_t migrations[MIGRATION_CAUSES], all_migrations;
	struct distribution slices, wakeups, preempted; /* in nanoseconds */
};

/* Which events the trace has: a kind that it does not have gives NaN, not 0. */
struct metrics_known {
	bool wakeups, migrations;
	bool all_tasks; /* else events of followed tasks only: values that depend on other tasks are unknown */
	bool was_moved; /* a task of the workload ran on two CPUs */
};

/* Begins the part, or extends it, up to ts_ns. Does nothing once it has ended. */
void metrics_part_extend(struct metrics_part *part, uint64_t ts_ns, const struct machine_totals *totals);

/* True if what happens now belongs to it. */
static inline bool metrics_part_is_open(const struct metrics_part *part)
{
	return part->has_begun && !part->has_ended;
}

/* The same for an event of the past. */
static inline bool metrics_part_includes(const struct metrics_part *part, uint64_t ts_ns)
{
	return part->has_begun && ts_ns >= part->begin_ns && (!part->has_ended || ts_ns <= part->end_ns);
}

/* Sets those of the METRIC_COUNT values that the part has: all but throughput and fairness. */
void metrics_part_values(const struct metrics_part *part, const struct metrics_known *known, double *values);
/* False if memory ran out for it. */
bool metrics_part_is_complete(const struct metrics_part *part);
void metrics_part_free(struct metrics_part *part);

#endif
