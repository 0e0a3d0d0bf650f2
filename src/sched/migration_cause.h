/* SPDX-License-Identifier: MIT
 *
 * Why a task was moved to another CPU, and what a kernel stack says of it. */
#ifndef SCHED_MIGRATION_CAUSE_H
#define SCHED_MIGRATION_CAUSE_H

#include <stdbool.h>
#include <stddef.h>

#include "format/kernel_symbols.h"

enum migration_cause {
	MIGRATION_WAKEUP,   /* woken onto another CPU: try_to_wake_up() */
	MIGRATION_FORK,     /* begins on another CPU than its parent's: wake_up_new_task() */
	MIGRATION_EXEC,     /* balanced as it began another program: sched_exec(); known from stacks only */
	MIGRATION_SELF,     /* asked its own CPU's stopper to be moved: exec, its own affinity, or NUMA balancing */
	MIGRATION_PULL,     /* was runnable and pulled by a CPU with less to do: detach_tasks() of load_balance() */
	MIGRATION_ACTIVE,   /* was running and pushed away for an idle CPU: active_load_balance_cpu_stop() */
	MIGRATION_NUMA,     /* to its memory's node: migrate_swap_stop(), migrate_task_to() */
	MIGRATION_AFFINITY, /* its allowed CPUs changed: affine_move_task(), from set_cpus_allowed_ptr() */
	MIGRATION_RT_PUSH,  /* real-time or deadline, pushed by a CPU with more of them: push_rt_task(), push_dl_task()
			     */
	MIGRATION_RT_PULL,  /* the same, pulled: pull_rt_task(), pull_dl_task() */
	MIGRATION_HOTPLUG,  /* its CPU went offline: __balance_push_cpu_stop(); known from stacks only */
	MIGRATION_UNKNOWN,
	MIGRATION_CAUSES
};

/* "wakeup", "active-balance". */
const char *migration_cause_name(enum migration_cause cause);

struct migration_stack {
	enum migration_cause cause; /* MIGRATION_UNKNOWN where no known function is in it */
	const char *function;       /* that decided it, a constant; NULL if none is known */
	bool by_request;            /* migration_cpu_stop(): the task that woke the stopper knows why */
};

/* Whether a symbol is one of the functions that show causes. */
bool migration_function_is_known(struct text_span symbol);

/* The innermost known function of a stack after sched_migrate_task. */
void migration_stack_of_move(const struct kernel_symbols *symbols, const uint64_t *addresses, size_t count,
			     struct migration_stack *stack);
/* The same of the stack after the sched_waking of a stopper: what it was asked to do. */
void migration_stack_of_request(const struct kernel_symbols *symbols, const uint64_t *addresses, size_t count,
				struct migration_stack *stack);

#endif
