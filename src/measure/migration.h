/* SPDX-License-Identifier: MIT
 *
 * One migration, and the data of its event that the rules require. */
#ifndef MEASURE_MIGRATION_H
#define MEASURE_MIGRATION_H

#include "trace/migration_cause.h"
#include "trace/task_states.h"

struct migration {
	uint64_t ts_ns;
	uint32_t cpu; /* where it happened */
	uint32_t from_cpu, to_cpu;
	struct sched_task task;
	uint32_t number;            /* task number, given with the event */
	int32_t by_pid;             /* PID of the task that ran there */
	enum migration_cause cause; /* from the stack if it shows the cause, otherwise traced */
	enum migration_cause traced;
	bool exact;           /* by the stack, or a fork */
	const char *function; /* function in the stack that shows the cause; or NULL */
};

/* Context of an event that is not in the event. */
struct migration_context {
	enum task_state state;   /* SCHED_MIGRATE: state of the task when it was moved */
	bool left_runnable;      /* SCHED_MIGRATE: it is runnable because it left its CPU in state R, not R+ */
	bool may_be_queued;      /* SCHED_MIGRATE: the CPU that it leaves was not idle since it went to sleep there */
	bool was_alone;          /* SCHED_MIGRATE: the CPU that it leaves runs the idle task, and no other one waits */
	uint32_t number;         /* SCHED_MIGRATE, SCHED_WAKEUP_NEW: the value for migration.number */
	int32_t current_prio;    /* of the task that runs on the event's CPU; TASK_PRIO_UNKNOWN */
	bool in_ksoftirqd;       /* this is the thread for softirqs: kernels with PREEMPT_RT do not flag its context */
	uint64_t others_wait_ns; /* SCHED_MIGRATE: start of another task's wait for the target CPU; UINT64_MAX: none */
	bool sleeps;             /* SCHED_SWITCH: the previous task no longer wants to run */
	bool uninterruptible;    /* and it waits in state D, for example for a completion */
};

#endif
