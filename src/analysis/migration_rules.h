/* SPDX-License-Identifier: MIT
 *
 * The rules of migrations.h: one migration that waits for what comes after it. Used by migrations.c. */
#ifndef ANALYSIS_MIGRATION_RULES_H
#define ANALYSIS_MIGRATION_RULES_H

#include "analysis/migrations.h"

/* Who woke a CPU's stopper, until it sleeps again. */
struct stopper_request {
	bool known, by_waking;
	bool waker_left; /* it sleeps since then, and not in state D: for something else */
	uint8_t context; /* enum sched_context: what the waker's CPU did */
	int32_t waker_pid;
	uint32_t waker_cpu;
	/* By the stack of the sched_waking: */
	enum migration_cause cause;
	const char *function; /* or NULL */
};

#define MIGRATION_NO_CPU UINT32_MAX

struct migration_watch {
	int32_t stopper_pid; /* -1 where not known */
	struct stopper_request request;
	uint32_t waking; /* the event before was the sched_waking of this CPU's stopper: a stack may follow */
	/* The event before on this CPU was a sched_wakeup by after_pid. */
	bool after_wakeup;
	int32_t after_pid;
	uint64_t last_ns; /* of it */
};

/* What this CPU did after the migration. */
enum cpu_after { CPU_AFTER_NOTHING, CPU_AFTER_WAKEUP, CPU_AFTER_NEW, CPU_AFTER_SLEEP, CPU_AFTER_LOST, CPU_AFTER_OTHER };
/* What the moved task did. */
enum task_after { TASK_AFTER_NOTHING, TASK_AFTER_QUEUED_WAKEUP, TASK_AFTER_RUNS, TASK_AFTER_OTHER };

struct pending_migration {
	struct migration migration;
	bool decided; /* migration.traced is final */
	bool waits_for_stack;
	bool by_stopper;
	bool may_be_wakeup; /* it slept, or nobody knows */
	bool wakeup_next;   /* its sched_wakeup may still be the next event of this CPU */
	bool after_wakeup;  /* struct migration_watch, as it was */
	bool waker_woken;   /* by_stopper: it then woke who had asked it */
	bool other_woken;   /* or another task than the moved one */
	bool swapped;       /* by_stopper: it moved another task the other way */
	bool can_swap;      /* by_stopper: the other CPU's was asked by the same task */
	bool stopper_gone;  /* by_stopper: it sleeps again */
	bool others_wait;   /* struct migration_moment, of the first of several that are moved in one go */
	uint8_t context;
	uint8_t cpu_after, task_after;
	enum task_state state;
	int32_t current_prio;
	struct stopper_request request; /* by_stopper */
	struct migration_stack stack;   /* function NULL where there is none */
};

/* Takes a new one (by_stopper, context, request and others_wait are set), which may decide it. */
void migration_rule_begin(struct pending_migration *of, const struct migration_moment *moment,
			  const struct migration_watch *cpu);
/* The next event of any CPU. */
void migration_rule_event(struct pending_migration *of, const struct sched_event *event, bool sleeps,
			  const struct migration_watch *cpus);
/* Decides by what is known. is_over: the trace ends here, so that nothing follows from what did not come. */
void migration_rule_give_up(struct pending_migration *of, bool is_over);

#endif
