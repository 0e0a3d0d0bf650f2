/* SPDX-License-Identifier: MIT
 *
 * Rules that derive the cause of a migration from the events around it. Events add facts; the rules are rows of facts
 * in migration_rules.c. The rules:
 *
 * - wakeup: try_to_wake_up(). The task slept, and the next event of this CPU is its sched_wakeup by the same task, in
 *   the same context (interrupts are off in between); or, if the wakeup is queued for the new CPU
 *   (ttwu_queue_wakelist()), the task's next event is its sched_wakeup there, in an interrupt, by the idle task or by
 *   the stopper. Before Linux 5.18 a task that slept can show R (not R+), if it was woken at the same time. Delayed
 *   dequeue (6.12) keeps sleeping tasks of the fair class on their queue until the CPU goes idle, if not before. There
 *   they can be pulled, and a change of their affinity moves them: a sched_wakeup on this CPU more than 1 ms later (in
 *   a softirq 100 us), or any on the new CPU, may be another wakeup, so the cause is unknown.
 * - fork: wake_up_new_task(). sched_wakeup_new names another CPU than the one it happens on. There is no
 *   sched_migrate_task then (__set_task_cpu()), and the kernel's own counter nr_migrations does not count it.
 * - pull: load_balance(). A task that is not running is moved in a softirq; or to the CPU of the event, for which
 *   no other task waits, by the idle task, by the stopper or by a task that then goes to sleep on this CPU, with no
 *   event in between (newidle_balance() within schedule()). A task that changes another task's affinity to its own,
 *   otherwise empty CPU and then sleeps at once cannot be distinguished from a pull: its later moves are unknown once
 *   the trace shows that it changes the affinity of others. Moves of tasks that newidle_balance() hardly ever pulls are
 *   unknown, too: of a task that sleeps (delayed dequeue), and of the only task of a CPU.
 * - affinity: affine_move_task(). A task that is not running is moved by another task, not in an interrupt and not by
 *   the rules above; or by the stopper, if the requester is another task that does not run on the target CPU, or that
 *   waited and is woken by the stopper.
 * - active-balance: active_load_balance_cpu_stop(). By the stopper, which was woken from a softirq; or by a task that
 *   went to sleep on the target CPU, but not to wait for a completion (newidle_balance()).
 * - self: migration_cpu_stop(). By the stopper, woken by the moved task itself: sched_exec(), its own
 *   set_cpus_allowed_ptr(), or task_numa_migrate(). Scheduler events do not show which of them. Unknown if the CPU may
 *   be going offline (balance_push()): its thread cpuhp/N has run, and since then no task has come to the CPU and left
 *   it by itself.
 * - numa: migrate_swap_stop(). One stopper swaps two tasks, and the same task asked the stoppers of both CPUs.
 * - rt-push: push_rt_task(), push_dl_task(). A waiting task of priority < 100 is moved after a sched_wakeup of such a
 *   task for the CPU that it leaves; or away from this CPU in an interrupt, or just after the switch to such a task.
 * - rt-pull: pull_rt_task(), pull_dl_task(). A waiting task of priority < 100 is moved to this CPU, which a task of
 *   priority < 100 then leaves at once. Other moves of waiting tasks of priority < 100 are unknown: affinity and
 *   changes of a task's class or priority look the same.
 * - dispatch: consume_remote_task(), dispatch_to_local_dsq(). If a mark in the trace says that a sched_ext scheduler
 *   has all tasks (trace/scheduler_mark.h): within schedule(), before a switch on this CPU, a waiting task is moved
 *   from a queue. There is no pull under such a scheduler.
 *
 * A stopper is the kernel thread migration/N of CPU N; sched_waking shows its waker, if the trace has that event;
 * otherwise sched_wakeup does, unless the wakeup was queued and so happened in an interrupt. Events
 * in an interrupt of the stopper are not the stopper's.
 *
 * The reported causes, provoked and counted by tests/vm/truth.bats on Linux 5.10, 6.1, 6.12 and 7.3:
 *
 *     cause                               with stacks      without
 *     fork                                fork             fork
 *     exec                                exec             self
 *     wakeup on another CPU               wakeup           wakeup
 *     load balance: periodic, nohz        pull             pull
 *     load balance: newly idle            pull             pull, or unknown (above)
 *     active balance                      active-balance   active-balance, or unknown
 *     own sched_setaffinity()             self             self; unknown after cpuhp/N, or if it slept meanwhile
 *     another's sched_setaffinity()       affinity         affinity; unknown of a real-time task that waits
 *     cpuset                              affinity         affinity, as above
 *     RT or deadline push, pull           rt-push, -pull   rt-push, rt-pull or unknown
 *     CPU goes offline (not in 5.10 [1])  hotplug          unknown
 *
 * [1] 5.10 moves the tasks when the CPU is offline, and tracepoints are off on such a CPU. */
#ifndef MEASURE_MIGRATION_RULES_H
#define MEASURE_MIGRATION_RULES_H

#include "trace/migration_cause.h"
#include "trace/task_states.h"

/* The request that a CPU's stopper handles, by its waker; ends when the stopper sleeps again. */
struct stopper_request {
	bool known, by_waking;
	bool has_moved;  /* the stopper has moved a task since */
	bool waker_left; /* the waker has gone to sleep since, not in state D */
	uint8_t context; /* enum sched_context of the waker's CPU */
	int32_t waker_pid;
	uint32_t waker_cpu;
	/* From the stack of the sched_waking: */
	enum migration_cause cause;
	const char *function; /* or NULL */
};

#define MIGRATION_NO_CPU UINT32_MAX

/* The state of a CPU that the rules need and task_states does not have. */
struct cpu_trail {
	/* task_states knows the latest waker of a task, but not its context, and a sched_waking changes no state. */
	struct stopper_request request;
	uint32_t waking; /* the previous event was the sched_waking of this CPU's stopper: a stack may follow */
	/* The previous event on this CPU: its kind, and the task that ran after it; for a sched_wakeup, the target CPU
	 * and the priority. */
	enum sched_event_kind before;
	int32_t before_pid, woken_prio;
	uint32_t woken_cpu;
	uint64_t before_ns;
	/* enum hotplug_trail: task_states takes a CPU as offline from its last event on, but tasks are moved away
	 * earlier. */
	uint8_t hotplug;
};

/* Signs that a CPU may be going offline, for traces that have only the scheduler's events. The thread cpuhp/N runs
 * first. The CPU is in use again if it gets a task, and a task then leaves it by itself. */
enum hotplug_trail { HOTPLUG_NONE, HOTPLUG_THREAD_RAN, HOTPLUG_GOT_TASK };

/* Facts about a migration. "Here" is the CPU of its event, "it" the moved task. */
enum migration_fact {
	/* At the migration: */
	FACT_IN_TASK,    /* the context of the event, unless it is unknown; the idle task is a task */
	FACT_IN_SOFTIRQ, /* or in a thread for softirqs */
	FACT_IN_INTERRUPT,
	FACT_BY_IDLE,
	FACT_BY_REAL_TIME, /* moved by a real-time or deadline task, not in an interrupt */
	FACT_BY_STOPPER,
	FACT_STOPPER_PULLS, /* instead of BY_STOPPER: moved here by the stopper, which leaves its CPU idle */
	FACT_FROM_HERE,
	FACT_TO_HERE,
	FACT_REAL_TIME, /* it is a real-time or deadline task */
	FACT_SLEPT,
	FACT_RUNNABLE,
	FACT_MAY_BE_WAKEUP, /* it slept, or its state is unknown */
	FACT_MAY_BE_QUEUED, /* it slept, but may be on the queue of the CPU that it leaves */
	FACT_UNDER_SCHED_EXT,
	FACT_AFTER_SWITCH,           /* the previous event here was the switch to the moving task */
	FACT_AFTER_REAL_TIME_WAKEUP, /* the previous event was a wakeup of a real-time task for the CPU it leaves */
	FACT_NO_PULL,                /* newidle balance hardly ever pulls such a task: may be affinity */
	FACT_OTHERS_WAIT,            /* others waited for the target CPU when the first of a batch was moved */
	FACT_MAY_BE_HOTPLUG,
	/* How the stopper was requested: */
	FACT_ASKED_BY_TASK,
	FACT_ASKED_BY_SOFTIRQ,
	FACT_ASKED_BY_ITSELF, /* by the moved task */
	FACT_ASKED_FROM_TARGET,
	FACT_ASKER_LEFT,
	FACT_CAN_SWAP, /* the same task asked the other CPU's stopper */
	/* Later, on this CPU. CPU_SLEEPS, CPU_LEAVES: the task that moved it is switched out. */
	FACT_WAKEUP_PAST, /* its sched_wakeup can no longer be the next event */
	FACT_CPU_SEEN,    /* one of the following: */
	FACT_CPU_WOKE_IT,
	FACT_CPU_WOKE_LATE, /* too late to be certainly the same wakeup */
	FACT_CPU_STARTED_IT,
	FACT_CPU_SLEEPS,
	FACT_CPU_LEAVES,
	FACT_CPU_LOST,
	FACT_STOPPER_GONE,
	FACT_SWAPPED, /* the stopper moved another task the other way */
	FACT_ASKER_WOKEN,
	FACT_OTHER_WOKEN, /* the stopper woke another task than the moved one */
	/* Later, events of the moved task: */
	FACT_TASK_SEEN,        /* one of the following, or another event: */
	FACT_TASK_WAKES_THERE, /* woken by a wakeup that was queued for its new CPU */
	FACT_TASK_RUNS,
};
#define FACT(name) (UINT64_C(1) << FACT_##name)

struct pending_migration {
	struct migration migration;
	bool decided; /* migration.traced is final */
	bool waits_for_stack;
	uint8_t event_context; /* enum sched_context of the event itself, even in a thread for softirqs */
	uint64_t facts;
	struct stopper_request request; /* request of its CPU's stopper, if there is one */
	struct migration_stack stack;   /* function is NULL without a stack */
};

/* True for the thread migration/N of CPU N: by its name, and the highest priority. */
bool migration_names_stopper(const struct sched_comm *comm, int32_t prio, uint32_t cpu);
/* Facts that the event, its step and the trail of its CPU show. */
uint64_t migration_facts(const struct task_states *states, const struct sched_event *event,
			 const struct task_step *step, const struct cpu_trail *cpu);
/* Facts that a request of the stopper shows. */
uint64_t migration_request_facts(const struct stopper_request *request, const struct migration *migration);
/* Which balance has pulled the task. In a softirq: for another CPU only nohz balance works; for its own, if it is not
 * idle, only the periodic one; of an idle CPU it may be either. Otherwise the CPU is about to be idle. */
enum pull_kind migration_pull_kind(const struct pending_migration *pending);
/* Decides a new migration, if its facts suffice. */
void migration_rule_begin(struct pending_migration *pending);
/* Processes the next event of any CPU. */
void migration_rule_event(struct pending_migration *pending, const struct task_states *states,
			  const struct sched_event *event, const struct task_step *step);
/* Decides from the events so far. is_over: the trace ends here, so missing events prove nothing. */
void migration_rule_give_up(struct pending_migration *pending, bool is_over);

#endif
