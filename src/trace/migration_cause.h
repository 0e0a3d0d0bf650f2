/* SPDX-License-Identifier: MIT
 *
 * A migration: why a task was moved to another CPU, and the cause shown by a kernel stack. */
#ifndef TRACE_MIGRATION_CAUSE_H
#define TRACE_MIGRATION_CAUSE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buffer.h"
#include "trace/event.h"
#include "trace/format/kernel_symbols.h"

enum migration_cause {
	MIGRATION_WAKEUP,   /* woken onto another CPU: try_to_wake_up() */
	MIGRATION_FORK,     /* starts on another CPU than its parent: wake_up_new_task() */
	MIGRATION_EXEC,     /* balanced on exec: sched_exec(); known from stacks only */
	MIGRATION_SELF,     /* the task changed its own allowed CPUs; without stacks also exec or NUMA balancing */
	MIGRATION_PULL,     /* was runnable and pulled by a less loaded CPU: detach_tasks() of load_balance() */
	MIGRATION_ACTIVE,   /* was running and pushed to an idle CPU: active_load_balance_cpu_stop() */
	MIGRATION_NUMA,     /* moved to the node of its memory: migrate_swap_stop(), migrate_task_to() */
	MIGRATION_AFFINITY, /* another task changed its allowed CPUs: affine_move_task(), set_cpus_allowed_ptr() */
	MIGRATION_RT_PUSH,  /* real-time or deadline task pushed by an overloaded CPU: push_rt_task(), push_dl_task()
			     */
	MIGRATION_RT_PULL,  /* the same, pulled: pull_rt_task(), pull_dl_task() */
	MIGRATION_HOTPLUG,  /* its CPU went offline: __balance_push_cpu_stop(); known from stacks only */
	MIGRATION_DISPATCH, /* taken from a queue of a sched_ext scheduler by the CPU that runs it next:
			       consume_remote_task(), dispatch_to_local_dsq() */
	MIGRATION_UNKNOWN,
	MIGRATION_CAUSES
};

/* "wakeup", "active-balance". */
const char *migration_cause_name(enum migration_cause cause);

/* Which load balance pulled a task. */
enum pull_kind {
	PULL_UNKNOWN,
	PULL_NEWIDLE,  /* of a CPU that becomes idle: newidle_balance() */
	PULL_PERIODIC, /* at its ticks: rebalance_domains() */
	PULL_NOHZ,     /* by another CPU, for idle ones without a tick: nohz_idle_balance() */
	PULL_KINDS
};
/* "newidle". */
const char *pull_kind_name(enum pull_kind kind);

struct migration_stack {
	enum migration_cause cause; /* MIGRATION_UNKNOWN if the stack has no known function */
	const char *function;       /* the function that shows the cause, a constant; NULL if none is known */
	enum pull_kind pull;        /* of a pull */
	bool by_request;            /* migration_cpu_stop(): the cause is in the stack of the stopper's waker */
};

/* True if the symbol is a function that shows a cause. */
bool migration_function_is_known(struct text_span symbol);

/* The innermost known function of a stack after sched_migrate_task. */
void migration_stack_of_move(const struct kernel_symbols *symbols, const uint64_t *addresses, size_t count,
			     struct migration_stack *stack);
/* The same for the stack after the sched_waking of a stopper: shows the stopper's request. */
void migration_stack_of_request(const struct kernel_symbols *symbols, const uint64_t *addresses, size_t count,
				struct migration_stack *stack);

/* One migration. */
struct migration {
	uint64_t ts_ns;
	uint32_t cpu; /* CPU that recorded the migration */
	uint32_t from_cpu, to_cpu;
	struct sched_task task;
	uint32_t number;            /* task number, given with the event */
	int32_t by_pid;             /* PID of the task that ran on that CPU */
	enum migration_cause cause; /* from the stack if it shows the cause, otherwise traced */
	enum migration_cause traced;
	enum pull_kind pull;  /* of MIGRATION_PULL */
	bool exact;           /* the cause is certain: from a stack, or a fork */
	bool asleep;          /* the task was asleep: unless the cause is a wakeup or a fork, it goes on sleeping */
	const char *function; /* function in the stack that shows the cause; or NULL */
};

/* "pull, newidle": the cause, and which balance pulled if that is known. */
void migration_add_cause(const struct migration *migration, struct buffer *out);

/* True if a sleeping task was moved and goes on sleeping. */
static inline bool migration_moves_sleeper(const struct migration *migration)
{
	return migration->asleep && migration->cause != MIGRATION_WAKEUP && migration->cause != MIGRATION_FORK;
}

#endif
