/* SPDX-License-Identifier: MIT
 *
 * What the metrics of one period of a run are computed from: the whole run, or its steady part (compare/run_metrics.h).
 * "Tasks" are those of the workload, "CPUs" those that it may use. */
#ifndef COMPARE_METRIC_PERIOD_H
#define COMPARE_METRIC_PERIOD_H

#include <stdbool.h>
#include <stdint.h>

#include "measure/distribution.h"
#include "measure/role_account.h"
#include "rules/reading.h"
#include "runs/cpu_levels.h"
#include "trace/migration_cause.h"

/* Running totals of the machine since the first event of the run. */
struct machine_totals {
	uint64_t cpu_ns;       /* of all CPUs whose current task is known */
	uint64_t idle_ns;      /* the idle part of cpu_ns */
	uint64_t hidden_ns;    /* of cpu_ns: it is not known who waits there, after lost events */
	uint64_t queued_ns;    /* the rest multiplied by the number of tasks that run or wait there */
	uint64_t switches;     /* of any task, also missing ones */
	uint64_t imbalance_ns; /* time multiplied by the difference of the fullest and the emptiest CPU, in tasks */
	uint64_t stranded_ns;  /* time multiplied by the number of tasks that wait for an idle CPU */
	uint64_t several_ns, shown_ns; /* time in which two CPUs, and one, hide nothing: that of the last two */
	uint64_t idle_waiting_long_ns; /* of ended stretches of IDLE_WAITING_LONG_NS or more */
	uint64_t idle_waiting_level_ns[CPU_LEVELS]; /* of idle_waiting_ns, by the nearest idle CPU */
	uint64_t idle_waiting_ns; /* of tasks, while another CPU they may use was idle (measure/idle_waiting.h) */
};

/* Which events the trace has: a kind that it does not have gives NaN, not 0. */
struct known_events {
	bool wakeups, migrations;
	bool all_tasks;    /* else events of followed tasks only: values that depend on other tasks are unknown */
	bool was_moved;    /* a task of the workload ran on two CPUs */
	bool all_switches; /* else those that are missing are too many for values that need each of them */
};

/* A zeroed struct is a period that has not begun. A slice, wait or migration belongs to the period in which it ends. */
struct metric_period {
	bool has_begun, has_ended;
	uint64_t begin_ns, end_ns; /* end_ns: up to now */
	struct machine_totals begin, end;
	uint64_t left, involuntary; /* switches out of the tasks; the latter preempted or yielded: state R or R+ */
	uint64_t migrations[MIGRATION_CAUSES], all_migrations; /* of the tasks, including those at fork */
	uint64_t sleeper_migrations;                           /* of these, of tasks that slept on */
	uint64_t placed[CPU_LEVELS];                           /* wakeups, by how near the CPU is to that of before */
	uint64_t pulled[CPU_LEVELS];                           /* MIGRATION_PULL, by how near the CPUs are */
	uint64_t forks;                                        /* new tasks */
	struct distribution slices;    /* whole ones, from switch-in to switch-out; in nanoseconds, as the next two */
	struct distribution wakeups;   /* from wakeup (or fork) to running */
	struct distribution preempted; /* from switch-out while runnable to running again */
	struct distribution overtaken; /* switches of its CPU from wakeup (or fork) to running, without its own */
	uint64_t busy_wakeups, preempting_wakeups; /* onto a CPU that runs another task; those that run there at once */
	uint64_t longest_wait_ns;                  /* of any kind, also one that has not ended */
	uint64_t runs_outside;                     /* times that a task was switched in on a CPU that it may not use */
	/* The rest is set when the run has ended. */
	unsigned int levels; /* bits (1 << enum cpu_level) of pairs of CPUs; 0: not known, or all are equally near */
	uint64_t tick_ns;    /* 0: unknown */
	double guest_work;   /* throughput of a deterministic guest; else NaN */
	double share_error;  /* compare/metric.c has the meaning; NaN: unknown */
	bool has_roles;      /* of a mix */
	struct role_results roles;
	const struct rules_findings *rules; /* of the whole run and all tasks; NULL: unknown */
	struct known_events known;
	double throughput; /* reported by the workload, of the whole run; NaN: unknown */
	/* Jain's index over the CPU time of tasks with the same name, up to the exit of the first of them (later, fixed
	 * work equalizes them again) or the end of the run: (sum x)^2 / (n sum x^2), 1 if all had the same (Jain, Chiu
	 * and Hawe, DEC-TR-301, 1984). With several names: the mean weighted by number of tasks. NaN without two equal
	 * tasks. */
	double fairness;
};

/* True if what happens now belongs to it. */
static inline bool metric_period_is_open(const struct metric_period *period)
{
	return period->has_begun && !period->has_ended;
}

/* The same for an event of the past. */
static inline bool metric_period_includes(const struct metric_period *period, uint64_t ts_ns)
{
	return period->has_begun && ts_ns >= period->begin_ns && (!period->has_ended || ts_ns <= period->end_ns);
}

#endif
