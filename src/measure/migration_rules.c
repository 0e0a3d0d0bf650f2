/* SPDX-License-Identifier: MIT */
#include "measure/migration_rules.h"

/* Priorities below are real-time or deadline (-1). */
enum { NORMAL_PRIO_MIN = 100 };

/* try_to_wake_up() takes far less between its two events, unless the host stops a virtual CPU. A softirq that pulls a
 * task which sleeps can then run the timer that wakes the task. */
enum { WAKEUP_LATE_NS = 1000000, WAKEUP_LATE_SOFTIRQ_NS = 100000 };

static void decide(struct pending_migration *of, enum migration_cause cause)
{
	of->migration.traced = cause;
	of->decided = true;
}

static bool is_real_time(int32_t prio)
{
	return prio != TASK_PRIO_UNKNOWN && prio < NORMAL_PRIO_MIN;
}

/* Too late to be of the wakeup that moved the task for certain. */
static bool is_late(const struct pending_migration *of, uint64_t wakeup_ns)
{
	uint64_t late_ns =
	    of->may_be_queued && of->context == SCHED_CONTEXT_SOFTIRQ ? WAKEUP_LATE_SOFTIRQ_NS : WAKEUP_LATE_NS;

	return !is_real_time(of->migration.task.prio) && wakeup_ns - of->migration.ts_ns > late_ns;
}

/* Real-time and deadline tasks are moved by their own classes: after a wakeup, by an interrupt, after a switch to a
 * task of these classes, or before a switch from one. Anything else may be affinity, or a change of a task's class. */
static void decide_real_time(struct pending_migration *of)
{
	const struct migration *migration = &of->migration;
	bool is_interrupt = of->context == SCHED_CONTEXT_HARDIRQ || of->context == SCHED_CONTEXT_SOFTIRQ;
	bool by_real_time =
	    of->context == SCHED_CONTEXT_TASK && is_real_time(of->current_prio) && migration->by_pid > 0;

	if (of->after_real_time_wakeup)
		decide(of, MIGRATION_RT_PUSH);
	else if (migration->cpu == migration->from_cpu)
		decide(of, is_interrupt || (by_real_time && of->after_switch) ? MIGRATION_RT_PUSH : MIGRATION_UNKNOWN);
	else if (migration->cpu != migration->to_cpu || !by_real_time)
		decide(of, MIGRATION_UNKNOWN);
	else if (of->cpu_after == CPU_AFTER_SLEEP || of->cpu_after == CPU_AFTER_LEAVE)
		decide(of, MIGRATION_RT_PULL);
	else if (of->cpu_after != CPU_AFTER_NOTHING)
		decide(of, MIGRATION_UNKNOWN);
}

/* Nothing happens between a dispatch and the switch that ends schedule(). Another task that changes the affinity goes
 * on running. */
static void decide_dispatch(struct pending_migration *of)
{
	bool leaves = of->cpu_after == CPU_AFTER_SLEEP || of->cpu_after == CPU_AFTER_LEAVE;

	if (of->leaving_stopper || of->migration.by_pid == 0 || leaves)
		decide(of, MIGRATION_DISPATCH);
	else if (of->cpu_after == CPU_AFTER_LOST)
		decide(of, MIGRATION_UNKNOWN);
	else if (of->cpu_after != CPU_AFTER_NOTHING)
		decide(of, MIGRATION_AFFINITY);
}

/* A task that was not running was moved, but not by a wakeup. */
static void decide_queued(struct pending_migration *of)
{
	const struct migration *migration = &of->migration;

	if (is_real_time(migration->task.prio)) {
		decide_real_time(of);
		return;
	}
	if (of->under_sched_ext && of->context == SCHED_CONTEXT_TASK) {
		decide_dispatch(of);
		return;
	}
	switch (of->context) {
	case SCHED_CONTEXT_SOFTIRQ:
		decide(of, MIGRATION_PULL);
		return;
	case SCHED_CONTEXT_TASK:
		break;
	default:
		decide(of, MIGRATION_UNKNOWN);
		return;
	}
	if (of->leaving_stopper)
		decide(of, MIGRATION_PULL);
	else if (migration->cpu != migration->to_cpu)
		decide(of, migration->by_pid ? MIGRATION_AFFINITY : MIGRATION_UNKNOWN);
	else if (migration->by_pid == 0)
		decide(of, MIGRATION_PULL);
	else if (of->cpu_after == CPU_AFTER_SLEEP)
		decide(of, of->no_pull || of->others_wait ? MIGRATION_UNKNOWN : MIGRATION_PULL);
	else if (of->cpu_after == CPU_AFTER_LOST || of->cpu_after == CPU_AFTER_LEAVE)
		decide(of, MIGRATION_UNKNOWN);
	else if (of->cpu_after != CPU_AFTER_NOTHING)
		decide(of, MIGRATION_AFFINITY);
}

/* Decides as soon as the events suffice. */
static void consider(struct pending_migration *of)
{
	const struct migration *migration = &of->migration;
	bool elsewhere = migration->to_cpu != migration->cpu;

	if (!of->may_be_wakeup) {
		decide_queued(of);
	} else if (of->cpu_after == CPU_AFTER_WAKEUP) {
		decide(of, of->wakeup_late ? MIGRATION_UNKNOWN : MIGRATION_WAKEUP);
	} else if (of->cpu_after == CPU_AFTER_NEW) {
		decide(of, MIGRATION_FORK);
	} else if (elsewhere && of->task_after == TASK_AFTER_QUEUED_WAKEUP) {
		decide(of, of->may_be_queued ? MIGRATION_UNKNOWN : MIGRATION_WAKEUP);
	} else if (!of->wakeup_next && (!elsewhere || of->task_after != TASK_AFTER_NOTHING)) {
		/* Delayed dequeue (6.12) keeps a sleeping task on its run queue, and the task can be moved from there.
		 */
		if (of->state == TASK_SLEEPING || of->state == TASK_RUNNABLE || of->task_after == TASK_AFTER_RUNS)
			decide_queued(of);
		else if (of->task_after != TASK_AFTER_NOTHING)
			decide(of, MIGRATION_UNKNOWN);
	}
}

static void decide_stopper(struct pending_migration *of)
{
	const struct migration *migration = &of->migration;
	const struct stopper_request *request = &of->request;
	bool by_task = request->known && request->context == SCHED_CONTEXT_TASK;
	bool real_time = is_real_time(migration->task.prio);

	if (of->swapped)
		decide(of, MIGRATION_NUMA);
	else if (of->may_be_hotplug || of->can_swap)
		decide(of, MIGRATION_UNKNOWN);
	else if (by_task && request->waker_pid == migration->task.pid)
		decide(of, MIGRATION_SELF);
	else if (request->known && request->context == SCHED_CONTEXT_SOFTIRQ)
		decide(of, real_time ? MIGRATION_UNKNOWN : MIGRATION_ACTIVE);
	else if (by_task ? of->waker_woken : of->other_woken)
		decide(of, MIGRATION_AFFINITY);
	else if (real_time) /* a stopper may push it: push_cpu_stop() */
		decide(of, MIGRATION_UNKNOWN);
	else if (by_task && request->waker_cpu != migration->to_cpu)
		decide(of, MIGRATION_AFFINITY);
	else if (by_task && request->waker_left)
		decide(of, MIGRATION_ACTIVE);
	else
		decide(of, MIGRATION_UNKNOWN);
}

void migration_rule_begin(struct pending_migration *of, const struct migration_moment *moment,
			  const struct migration_watch *cpu)
{
	of->state = moment->state;
	of->current_prio = moment->current_prio;
	of->no_pull = moment->was_alone || of->state == TASK_SLEEPING || of->by_mover;
	of->after_wakeup = cpu->after_wakeup && cpu->after_pid == of->migration.by_pid;
	of->after_switch = cpu->after_switch && cpu->after_pid == of->migration.by_pid;
	of->after_real_time_wakeup =
	    of->after_wakeup && is_real_time(cpu->woken_prio) && cpu->woken_cpu == of->migration.from_cpu;
	if (of->migration.to_cpu == of->migration.cpu)
		of->after_real_time_wakeup = false; /* or a pull, by a task that wakes another and leaves */
	/* Before Linux 5.18, R may also mean that the task slept and was woken at the same time. */
	of->may_be_wakeup = of->state != TASK_RUNNABLE || moment->left_runnable;
	/* Load is balanced in softirqs and by tasks, affinity is changed by tasks; the idle task does neither here. */
	of->may_be_queued =
	    moment->may_be_queued && !is_real_time(of->migration.task.prio) &&
	    (of->context == SCHED_CONTEXT_SOFTIRQ || (of->context == SCHED_CONTEXT_TASK && of->migration.by_pid != 0));
	of->wakeup_next = true;
	if (!of->by_stopper)
		consider(of);
}

/* The task asked the stopper, waits for it, and is moved first of all: by the stopper, if the kernel has kept it on its
 * queue (delayed dequeue), or by the wakeup that follows. */
static bool is_own_wait(const struct pending_migration *of)
{
	return of->request.known && of->request.waker_pid == of->migration.task.pid && !of->request.has_moved;
}

static void stopper_event(struct pending_migration *of, const struct sched_event *event)
{
	const struct migration *migration = &of->migration;

	if (event->cpu != migration->cpu)
		return;
	switch (event->kind) {
	case SCHED_LOST:
		decide(of, MIGRATION_UNKNOWN);
		break;
	case SCHED_MIGRATE:
		of->swapped |= of->can_swap && event->migrate.from_cpu == migration->to_cpu &&
			       event->migrate.to_cpu == migration->from_cpu;
		break;
	case SCHED_WAKEUP:
		/* An interrupt's wakeups are not the stopper's. */
		if (event->context == SCHED_CONTEXT_HARDIRQ || event->context == SCHED_CONTEXT_SOFTIRQ)
			return;
		/* A task that waited for the stopper sleeps, and is moved when it is woken. */
		if (of->wakeup_next && event->wakeup.task.pid == migration->task.pid && of->state != TASK_RUNNABLE) {
			decide(of, is_own_wait(of) ? MIGRATION_UNKNOWN : MIGRATION_WAKEUP);
			return;
		}
		of->waker_woken |= event->wakeup.task.pid == of->request.waker_pid;
		of->other_woken |= event->wakeup.task.pid != migration->task.pid;
		break;
	case SCHED_SWITCH:
		of->stopper_gone = true;
		break;
	default:
		return;
	}
	of->wakeup_next = false;
}

/* Records the next event of the CPU on which the migration happened. */
static void note_cpu(struct pending_migration *of, const struct sched_event *event, bool sleeps)
{
	const struct migration *migration = &of->migration;
	bool by_same = event->common_pid == migration->by_pid;

	switch (event->kind) {
	case SCHED_WAKEUP:
	case SCHED_WAKEUP_NEW:
		of->cpu_after = CPU_AFTER_OTHER;
		if (of->wakeup_next && by_same && event->wakeup.task.pid == migration->task.pid &&
		    event->context == of->event_context)
			of->cpu_after = event->kind == SCHED_WAKEUP ? CPU_AFTER_WAKEUP : CPU_AFTER_NEW;
		of->wakeup_late = is_late(of, event->ts_ns);
		break;
	case SCHED_SWITCH:
		of->cpu_after = event->switched.prev.pid != migration->by_pid ? CPU_AFTER_OTHER
				: sleeps                                      ? CPU_AFTER_SLEEP
									      : CPU_AFTER_LEAVE;
		break;
	case SCHED_MIGRATE:
		/* One pull may move several tasks. */
		if (!by_same)
			of->cpu_after = CPU_AFTER_OTHER;
		break;
	case SCHED_LOST:
		of->cpu_after = CPU_AFTER_LOST;
		break;
	default:
		return;
	}
	of->wakeup_next = false;
}

static void note_task(struct pending_migration *of, const struct sched_event *event, const struct migration_watch *cpus)
{
	const struct migration *migration = &of->migration;
	int32_t pid = migration->task.pid;

	switch (event->kind) {
	case SCHED_WAKEUP:
	case SCHED_WAKEUP_NEW:
		if (event->wakeup.task.pid != pid)
			return;
		of->task_after = TASK_AFTER_OTHER;
		if (event->cpu == migration->to_cpu &&
		    (event->context == SCHED_CONTEXT_HARDIRQ || event->context == SCHED_CONTEXT_UNKNOWN ||
		     event->common_pid == 0 || event->common_pid == cpus[event->cpu].stopper_pid))
			of->task_after = TASK_AFTER_QUEUED_WAKEUP;
		break;
	case SCHED_SWITCH:
		if (event->switched.next.pid == pid)
			of->task_after = TASK_AFTER_RUNS;
		else if (event->switched.prev.pid == pid)
			of->task_after = TASK_AFTER_OTHER;
		break;
	case SCHED_MIGRATE:
		if (event->migrate.task.pid == pid)
			of->task_after = TASK_AFTER_OTHER;
		break;
	default:
		break;
	}
}

/* A stopper does not move sleeping tasks, but wakes tasks that wait for it; a queued wakeup follows later. */
static void consider_stopper(struct pending_migration *of)
{
	if (of->decided)
		return;
	if (of->state == TASK_SLEEPING && of->task_after == TASK_AFTER_QUEUED_WAKEUP)
		decide(of, MIGRATION_WAKEUP);
	else if (of->stopper_gone && (of->state != TASK_SLEEPING || of->task_after != TASK_AFTER_NOTHING))
		decide_stopper(of);
}

void migration_rule_event(struct pending_migration *of, const struct sched_event *event, bool sleeps,
			  const struct migration_watch *cpus)
{
	if (of->by_stopper) {
		stopper_event(of, event);
		if (of->task_after == TASK_AFTER_NOTHING && !of->decided)
			note_task(of, event, cpus);
		consider_stopper(of);
		return;
	}
	/* Its wakeup may be among the lost events of any CPU. */
	if (event->kind == SCHED_LOST && of->may_be_wakeup) {
		decide(of, MIGRATION_UNKNOWN);
		return;
	}
	if (event->cpu == of->migration.cpu && of->cpu_after == CPU_AFTER_NOTHING)
		note_cpu(of, event, sleeps);
	if (of->task_after == TASK_AFTER_NOTHING)
		note_task(of, event, cpus);
	consider(of);
}

void migration_rule_give_up(struct pending_migration *of, bool is_over)
{
	if (is_over) {
		decide(of, MIGRATION_UNKNOWN);
		return;
	}
	if (of->by_stopper) {
		decide_stopper(of);
		return;
	}
	/* No event for a long time: the task did not leave the CPU at once. */
	if (of->cpu_after == CPU_AFTER_NOTHING)
		of->cpu_after = CPU_AFTER_OTHER;
	of->wakeup_next = false;
	if (of->task_after == TASK_AFTER_NOTHING && of->state == TASK_SLEEPING)
		of->task_after = TASK_AFTER_OTHER;
	consider(of);
	if (!of->decided)
		decide(of, MIGRATION_UNKNOWN);
}
