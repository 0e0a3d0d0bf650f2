/* SPDX-License-Identifier: MIT
 *
 * Accounts for the time of a workload's runs: running time per task name and CPU, wait times, blocked times; and
 * migrations by CPU pair and time. Memory grows with the number of names and tasks, not with the number of events.
 * Pure. */
#ifndef MEASURE_RUN_ACCOUNT_H
#define MEASURE_RUN_ACCOUNT_H

#include "measure/workload_descendants.h"
#include "trace/migration_cause.h"
#include "trace/task_states.h"

/* Categories of a task's time. */
enum time_use {
	TIME_RUNNING,
	TIME_AFTER_WAKEUP,     /* runnable, since it was woken or forked */
	TIME_AFTER_PREEMPTION, /* runnable, since it was switched out while it could run */
	TIME_BLOCKED,          /* S: asleep; also stopped, parked and unknown */
	TIME_UNINTERRUPTIBLE,  /* D */
	TIME_USES
};

/* Higher CPUs are counted under the last one. */
#define RUN_ACCOUNT_CPUS 128u
#define RUN_ACCOUNT_BINS 128u

/* Account of one name over all runs. */
struct name_account {
	uint64_t time_ns[TIME_USES];
	uint64_t *cpu_ns; /* running, by CPU, cpu_count of them */
	uint32_t cpu_count;
	uint32_t tasks; /* tasks whose last name this is */
	bool is_idle, is_kernel;
};

struct run_account {
	/* Tasks accounted separately from others with the same name; NULL: none. Call descendants_step() first for
	 * each step. */
	const struct descendants *descendants;
	struct name_account *names; /* by number in states.comms: names[2 * number], followed by that of other tasks */
	uint32_t name_count;        /* of names */
	uint32_t cpu_count;         /* CPUs with work or migrations */
	uint32_t runs;
	uint64_t migrations;
	uint64_t pairs[RUN_ACCOUNT_CPUS * RUN_ACCOUNT_CPUS]; /* from * RUN_ACCOUNT_CPUS + to */
	/* Migrations over time, by cause, summed over runs: bins of bin_ns each since the run's first event. */
	uint64_t bins[MIGRATION_CAUSES][RUN_ACCOUNT_BINS];
	uint64_t load_ns[RUN_ACCOUNT_BINS]; /* per bin: sum of times in which tasks ran or waited for a CPU */
	uint64_t bin_ns;
	uint64_t longest_ns; /* of the runs */
	/* Internal: by task, start and kind of its blocked time, and the epoch of losses. */
	struct blocked_task *blocked;
	uint32_t blocked_count;
	uint32_t first_task; /* of this run */
};

/* A zeroed struct is empty. */
void run_account_step(struct run_account *account, const struct task_states *states, const struct sched_event *event,
		      const struct task_step *step);
/* Processes a slice from task_states_end_cpu(). Call it before run_account_end(). */
void run_account_slice(struct run_account *account, const struct task_states *states, const struct task_slice *slice);
/* since_start_ns: of the run. */
void run_account_migration(struct run_account *account, enum migration_cause cause, uint32_t from_cpu, uint32_t to_cpu,
			   uint64_t since_start_ns);
/* Ends the run at ts_ns: open waits and blocked times count up to then. duration_ns: of the run. */
void run_account_end(struct run_account *account, const struct task_states *states, uint64_t ts_ns,
		     uint64_t duration_ns);
/* Adds an account of further runs, except its names. Both must be between runs. */
void run_account_add(struct run_account *account, const struct run_account *more);
void run_account_free(struct run_account *account);

static inline uint64_t name_account_cpu(const struct name_account *name, uint32_t cpu)
{
	return cpu < name->cpu_count ? name->cpu_ns[cpu] : 0;
}

#endif
