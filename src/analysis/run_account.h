/* SPDX-License-Identifier: MIT
 *
 * Where the time of a workload's runs went: what each name of tasks did, on which CPU, how long it waited and for
 * what it was blocked; and who moved between which CPUs, when. Memory grows with the number of names and tasks, never
 * with that of events. Pure. */
#ifndef ANALYSIS_RUN_ACCOUNT_H
#define ANALYSIS_RUN_ACCOUNT_H

#include "analysis/workload_descendants.h"
#include "sched/migration_cause.h"
#include "sched/task_states.h"

/* What a task does with its time. */
enum time_use {
	TIME_RUNNING,
	TIME_AFTER_WAKEUP,     /* runnable, since it was woken or forked */
	TIME_AFTER_PREEMPTION, /* runnable, since it was switched out while it could run */
	TIME_BLOCKED,          /* S: asleep, and what is neither of these (stopped, parked) */
	TIME_UNINTERRUPTIBLE,  /* D */
	TIME_USES
};

/* CPUs from this one on are counted under the one before it. */
#define RUN_ACCOUNT_CPUS 128u
#define RUN_ACCOUNT_BINS 128u

/* Of one name, over all runs. */
struct name_account {
	uint64_t time_ns[TIME_USES];
	uint64_t *cpu_ns; /* running, by CPU, cpu_count of them */
	uint32_t cpu_count;
	uint32_t tasks; /* that had this name last */
	bool is_idle, is_kernel;
};

struct run_account {
	/* Whose time is told apart from that of others with the same name; NULL: nobody's. It takes each step before
	 * this does. */
	const struct descendants *descendants;
	struct name_account *names; /* by number in states.comms: names[2 * number], and behind it that of others */
	uint32_t name_count;        /* of names */
	uint32_t cpu_count;         /* of CPUs that work was done on or moved between */
	uint32_t runs;
	uint64_t migrations;
	uint64_t pairs[RUN_ACCOUNT_CPUS * RUN_ACCOUNT_CPUS]; /* from * RUN_ACCOUNT_CPUS + to */
	/* Migrations over time, by cause, summed over runs: bins of bin_ns each since the run's first event. */
	uint64_t bins[MIGRATION_CAUSES][RUN_ACCOUNT_BINS];
	uint64_t load_ns[RUN_ACCOUNT_BINS]; /* in the same bins: how long tasks ran or waited for a CPU, added up */
	uint64_t bin_ns;
	uint64_t longest_ns; /* of the runs */
	/* Its own: by task, since when it is blocked, for what, in which epoch of losses. */
	struct blocked_task *blocked;
	uint32_t blocked_count;
	uint32_t first_task; /* of this run */
};

/* A zeroed one is empty. All answer false when memory ran out. */
bool run_account_step(struct run_account *account, const struct task_states *states, const struct sched_event *event,
		      const struct task_step *step);
/* Takes what task_states_end_cpu() gave, before the end. */
bool run_account_slice(struct run_account *account, const struct task_states *states, const struct task_slice *slice);
/* since_start_ns: of the run. */
void run_account_migration(struct run_account *account, enum migration_cause cause, uint32_t from_cpu, uint32_t to_cpu,
			   uint64_t since_start_ns);
/* Ends the run at ts_ns: who waits or is blocked then did so up to there. duration_ns: of the run. */
bool run_account_end(struct run_account *account, const struct task_states *states, uint64_t ts_ns,
		     uint64_t duration_ns);
/* Adds an account of further runs, all but its names. Neither is in the middle of a run. */
void run_account_add(struct run_account *account, const struct run_account *more);
void run_account_free(struct run_account *account);

static inline uint64_t name_account_cpu(const struct name_account *name, uint32_t cpu)
{
	return cpu < name->cpu_count ? name->cpu_ns[cpu] : 0;
}

#endif
