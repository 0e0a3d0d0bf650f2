/* SPDX-License-Identifier: MIT
 *
 * One migration, and what the rules need to know of the event that it is. */
#ifndef ANALYSIS_MIGRATION_H
#define ANALYSIS_MIGRATION_H

#include "sched/migration_cause.h"
#include "sched/task_states.h"

struct migration {
	uint64_t ts_ns;
	uint32_t cpu; /* where it happened */
	uint32_t from_cpu, to_cpu;
	struct sched_task task;
	uint32_t number;            /* of the task, as given with it */
	int32_t by_pid;             /* who ran there */
	enum migration_cause cause; /* by the stack where that tells it, else as traced */
	enum migration_cause traced;
	bool exact;           /* by the stack, or a fork */
	const char *function; /* that decided, by the stack; or NULL */
};

/* What is known of an event beside it. */
struct migration_moment {
	enum task_state state; /* SCHED_MIGRATE: what the task did as it was moved */
	uint32_t number;       /* SCHED_MIGRATE, SCHED_WAKEUP_NEW: what migration.number is to be */
	int32_t current_prio;  /* of the task that runs on the event's CPU; -1 where not known */
	uint64_t
	    others_wait_ns;   /* SCHED_MIGRATE: since when another task waits for the CPU it goes to; UINT64_MAX none */
	bool sleeps;          /* SCHED_SWITCH: the previous task no longer wants to run */
	bool uninterruptible; /* with it: it waits in state D, as for a completion */
};

#endif
