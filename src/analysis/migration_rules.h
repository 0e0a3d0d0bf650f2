/* SPDX-License-Identifier: MIT
 *
 * The rules that tell the cause of a migration from the events around it:
 *
 * - wakeup: try_to_wake_up(). The task slept, and the next event of this CPU is its sched_wakeup by the same task
 *   (interrupts are off in between); or, where the wakeup is queued for the new CPU (ttwu_queue_wakelist()), the task's
 *   next event is its sched_wakeup there, in an interrupt, by the idle task or by the stopper.
 * - fork: wake_up_new_task(). sched_wakeup_new names another CPU than the one it happens on. There is no
 *   sched_migrate_task then (__set_task_cpu()), and the kernel's own counter nr_migrations does not count it.
 * - pull: load_balance(). A task that is not running is moved in a softirq; or to the CPU where it happens and for
 * which no other task waits, by the idle task or by a task that then leaves the CPU asleep, with no event in between
 *   (newidle_balance() within schedule()). Who changes another task's affinity to its own, otherwise empty CPU and
 *   then sleeps at once cannot be told from that.
 * - affinity: affine_move_task(). A task that is not running is moved by another one, neither in an interrupt nor as
 *   above; or by the stopper, where another task asked it that does not run on the CPU that the moved one goes to, or
 *   that waited and is woken by the stopper.
 * - active-balance: active_load_balance_cpu_stop(). By the stopper, which was woken from a softirq; or by a task that
 *   left the CPU that the moved task goes to, asleep but not waiting for a completion (newidle_balance()).
 * - self: migration_cpu_stop(). By the stopper, which the moved task woke itself: sched_exec(), its own
 *   set_cpus_allowed_ptr(), or task_numa_migrate(). Which of them no event of the scheduler says.
 * - numa: migrate_swap_stop(). One stopper moves two tasks past each other, and whoever asked it asked the other CPU's
 *   stopper too.
 * - rt-push: push_rt_task(), push_dl_task(). A waiting task of priority < 100 is moved away from this CPU, or behind a
 *   sched_wakeup.
 * - rt-pull: pull_rt_task(), pull_dl_task(). The same to this CPU.
 *
 * A stopper is the kernel thread migration/N of CPU N; who woke it is told by sched_waking where the trace has that,
 * else by sched_wakeup, unless that was queued and so happened in an interrupt. */
#ifndef ANALYSIS_MIGRATION_RULES_H
#define ANALYSIS_MIGRATION_RULES_H

#include "analysis/migration.h"

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
