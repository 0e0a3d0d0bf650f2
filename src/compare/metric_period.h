/* SPDX-License-Identifier: MIT
 *
 * Input of the metrics of one period of a run: the whole run, or its steady part (compare/run_metrics.h).
 * "Tasks" are those of the workload, "CPUs" those that it may use. */
#ifndef COMPARE_METRIC_PERIOD_H
#define COMPARE_METRIC_PERIOD_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

#include "measure/distribution.h"
#include "measure/role_account.h"
#include "rules/reading.h"
#include "runs/cpu_levels.h"
#include "trace/migration_cause.h"

/* Sums of a period: metrics are quotients of these. */
enum period_sum {
	/* Totals of the machine, which run on through the whole run. */
	SUM_CPU_NS,                /* of all CPUs whose current task is known */
	SUM_IDLE_NS,               /* the idle part of it */
	SUM_SHOWN_CPU_NS,          /* the part in which it is known who waits there; else not, after lost events */
	SUM_QUEUED_NS,             /* that part multiplied by the number of tasks that run or wait there */
	SUM_SWITCHES,              /* of any task, also missing ones */
	SUM_IMBALANCE_NS,          /* time multiplied by the difference of the fullest and the emptiest CPU, in tasks */
	SUM_STRANDED_NS,           /* time multiplied by the number of tasks that wait for an idle CPU */
	SUM_SEVERAL_NS,            /* time in which two CPUs hide nothing: that of SUM_IMBALANCE_NS */
	SUM_SHOWN_NS,              /* time in which one CPU hides nothing: that of SUM_STRANDED_NS */
	SUM_IDLE_WAITING_NS,       /* of tasks, while another CPU they may use was idle (measure/idle_waiting.h) */
	SUM_IDLE_WAITING_LONG_NS,  /* of ended stretches of IDLE_WAITING_LONG_NS or more */
	SUM_IDLE_WAITING_CACHE_NS, /* while one with the same cache was */
	SUM_MISFIT_NS,             /* of tasks on CPUs while a larger one was idle (idle_account.c) */
	SUM_CAPACITY,              /* SUM_CPU_NS with each CPU's time multiplied by its capacity */
	SUM_CAPACITY_USED,         /* the part in which tasks of the workload ran */
	MACHINE_SUMS,
	/* Counts of the tasks. A slice, wait or migration belongs to the period in which it ends. */
	SUM_LEFT = MACHINE_SUMS, /* switches out */
	SUM_INVOLUNTARY,         /* preempted or yielded: state R or R+ */
	SUM_BUSY_WAKEUPS,        /* onto a CPU that runs another task */
	SUM_PREEMPTING_WAKEUPS,  /* of these, those that run there at once */
	SUM_RUNS_OUTSIDE,        /* times that a task was switched in on a CPU that it may not use */
	SUM_FORKS,               /* new tasks */
	SUM_MIGRATIONS,          /* without those at fork, as the levels */
	SUM_WAITED_NS,           /* time of waits of which it is known whether the task was throttled */
	SUM_WAITED_UNKNOWN_NS,   /* of the other waits */
	SUM_THROTTLED_NS,        /* time that tasks were throttled, which is no part of their waits */
	SUM_RAN_NS,              /* of slices */
	SUM_RAN_LARGEST_NS,      /* of those on CPUs of the largest capacity */
	SUM_MIGRATIONS_UP,       /* to a CPU of larger capacity, without those at fork */
	SUM_MIGRATIONS_DOWN,     /* to one of smaller capacity */
	SUM_MIGRATIONS_ASLEEP,   /* of tasks that slept on */
	SUM_MIGRATIONS_OTHER,    /* of causes without a metric */
	SUM_MIGRATIONS_CAUSES,   /* and the next ones: by enum migration_cause */
	SUM_PULLS = SUM_MIGRATIONS_CAUSES + MIGRATION_CAUSES, /* by enum pull_kind */
	SUM_MIGRATIONS_LEVELS = SUM_PULLS + PULL_KINDS,       /* by enum cpu_level */
	PERIOD_SUMS = SUM_MIGRATIONS_LEVELS + CPU_LEVELS
};

/* The distributions of a period, in nanoseconds, RUN_OVERTAKEN in switches. */
enum run_distribution {
	RUN_WAKEUPS,   /* from wakeup (or fork) to running */
	RUN_PREEMPTED, /* from switch-out while runnable to running again */
	RUN_OVERTAKEN, /* switches of its CPU from wakeup (or fork) to running, without its own */
	RUN_SLICES,    /* whole ones, from switch-in to switch-out */
	RUN_DISTRIBUTIONS
};

/* Knowledge of a period, as bits: a metric that needs more is NaN there, not 0. */
enum period_knowledge {
	KNOWS_WAKEUPS = 1,      /* the trace has wakeups */
	KNOWS_MIGRATIONS = 2,   /* the trace has migrations, or no task of the workload ran on two CPUs */
	KNOWS_ALL_TASKS = 4,    /* else events of followed tasks only */
	KNOWS_ALL_SWITCHES = 8, /* else too many are missing */
	KNOWS_QUEUES = 16,      /* after losses, it is known for enough of the time who waits */
	KNOWS_NEAR_CPUS = 32,   /* pairs of CPUs share a core or a cache, others do not */
	KNOWS_THROTTLING = 64,
	KNOWS_LEVELS = 128, /* and the next bits: pairs of CPUs are at this enum cpu_level, others are not */
	KNOWS_CAPACITIES = KNOWS_LEVELS << CPU_LEVELS, /* CPUs have different ones, and all are known */
	/* SUM_CAPACITY has nearly all CPUs and all of the time. */
	KNOWS_CAPACITY_USED = KNOWS_CAPACITIES << 1,
	KNOWS_WAITING = KNOWS_WAKEUPS | KNOWS_ALL_SWITCHES | KNOWS_QUEUES,
};

/* METRIC_PERIOD_NONE is one that has not begun. */
struct metric_period {
	bool has_begun, has_ended;
	uint64_t begin_ns, end_ns;    /* end_ns: up to now */
	uint64_t begin[MACHINE_SUMS]; /* the totals when it began; in sums they are taken away when it ends */
	uint64_t sums[PERIOD_SUMS];
	struct distribution distributions[RUN_DISTRIBUTIONS]; /* of the tasks */
	uint64_t longest_wait_ns;                             /* of any kind, also one that has not ended */
	/* The rest is set when the run has ended. */
	unsigned int knows;
	double tick_ns;     /* NaN: unknown */
	double guest_work;  /* throughput of a deterministic guest; else NaN */
	double share_error; /* compare/metric.c has the meaning; NaN: unknown */
	struct role_results roles;
	const struct rules_findings *rules; /* of the whole run and all tasks; NULL: unknown */
	double throughput;                  /* reported by the workload, of the whole run; NaN: unknown */
	/* Jain's index over the CPU time of tasks with the same name, up to the exit of the first of them (later, fixed
	 * work equalizes them again) or the end of the run: (sum x)^2 / (n sum x^2), 1 if all had the same (Jain, Chiu
	 * and Hawe, DEC-TR-301, 1984). With several names: the mean weighted by number of tasks. NaN without two equal
	 * tasks. */
	double fairness;
};

#define METRIC_PERIOD_NONE                                                                                             \
	((struct metric_period){.fairness = NAN,                                                                       \
				.share_error = NAN,                                                                    \
				.roles = {.role_share_error = NAN, .cgroup_share_error = NAN, .quota_share = NAN}})

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
