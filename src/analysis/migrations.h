/* SPDX-License-Identifier: MIT
 *
 * The migrations of a trace, each with its cause. Where the trace has stacks (record --migration-stacks) the kernel
 * function tells it; else it is told from what happened around it, and what cannot be told is unknown:
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
#ifndef ANALYSIS_MIGRATIONS_H
#define ANALYSIS_MIGRATIONS_H

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

struct migrations;

/* has_stacks: each migration is held until its stack may have come. stacks_only (live): nothing but stacks tells, and
 * a migration is given as soon as its stack is there. STATUS_SYSTEM when memory runs out. */
enum status migrations_open(bool has_stacks, bool stacks_only, struct migrations **migrations, struct error *err);
void migrations_close(struct migrations *migrations);
/* How many bytes it takes on a machine of so many CPUs. */
uint64_t migrations_memory(const struct migrations *migrations, uint32_t cpus);

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

/* From what the task state machine said of the event. False where it is of an idle task, which is damage: not to be
 * handed on. */
bool migration_moment_of(const struct task_states *machine, const struct sched_event *event,
			 const struct task_step *step, struct migration_moment *moment);

/* Takes the next event, of whatever kind. STATUS_SYSTEM when memory runs out. Then migrations_next() until false. */
enum status migrations_event(struct migrations *migrations, const struct sched_event *event,
			     const struct migration_moment *moment, struct error *err);
/* In its place, for a sched_waking of this task. */
enum status migrations_waking(struct migrations *migrations, const struct sched_event *event,
			      const struct sched_task *task, uint32_t target_cpu, struct error *err);
/* In its place, for the stack behind the event before on this CPU. */
void migrations_stack(struct migrations *migrations, const struct sched_event *event,
		      const struct kernel_symbols *symbols, const uint64_t *addresses, size_t count);
/* Nothing more comes: what is not decided yet stays unknown. */
void migrations_end(struct migrations *migrations);

/* The next migration, in the order of time; false where none is decided. */
bool migrations_next(struct migrations *migrations, struct migration *migration);

#endif
