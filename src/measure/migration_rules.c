/* SPDX-License-Identifier: MIT */
#include "measure/migration_rules.h"

/* Priorities below are real-time or deadline (-1). */
enum { NORMAL_PRIO_MIN = 100 };

/* A later wakeup is not the one that moved the task: try_to_wake_up() takes far less time between its two events,
 * unless the host stops a virtual CPU. The limit in softirqs is lower, because a softirq that pulls a sleeping task can
 * then run the timer that wakes it. */
enum { WAKEUP_LATE_NS = 1000000, WAKEUP_LATE_SOFTIRQ_NS = 100000 };

/* The first row whose facts hold gives the cause, or one of these results: */
enum rule_result {
	RULE_WAIT = MIGRATION_CAUSES, /* later events may decide */
	RULE_QUEUED,                  /* not a wakeup: apply the rules for tasks on a queue */
	RULE_ASKED,                   /* moved by the stopper on request: apply request_rules */
};

struct migration_rule {
	uint64_t all, none; /* facts that must hold, and must not */
	int result;         /* enum migration_cause or enum rule_result */
};

static const struct migration_rule wakeup_rules[] = {
    {0, FACT(MAY_BE_WAKEUP), RULE_QUEUED},
    {FACT(CPU_WOKE_IT) | FACT(CPU_WOKE_LATE), 0, MIGRATION_UNKNOWN},
    {FACT(CPU_WOKE_IT), 0, MIGRATION_WAKEUP},
    {FACT(CPU_STARTED_IT), 0, MIGRATION_FORK},
    {FACT(TASK_WAKES_THERE) | FACT(MAY_BE_QUEUED), FACT(TO_HERE), MIGRATION_UNKNOWN},
    {FACT(TASK_WAKES_THERE), FACT(TO_HERE), MIGRATION_WAKEUP},
    {0, FACT(WAKEUP_PAST), RULE_WAIT},
    {0, FACT(TO_HERE) | FACT(TASK_SEEN), RULE_WAIT},
    /* Delayed dequeue (6.12) keeps a sleeping task on its run queue, and the task can be moved from there. */
    {FACT(SLEPT), 0, RULE_QUEUED},
    {FACT(RUNNABLE), 0, RULE_QUEUED},
    {FACT(TASK_RUNS), 0, RULE_QUEUED},
    {FACT(TASK_SEEN), 0, MIGRATION_UNKNOWN},
    {0, 0, RULE_WAIT},
};

/* A task that was not running was moved, but not by a wakeup. */
static const struct migration_rule queue_rules[] = {
    {FACT(IN_SOFTIRQ), 0, MIGRATION_PULL},
    {0, FACT(IN_TASK), MIGRATION_UNKNOWN},
    {FACT(STOPPER_PULLS), 0, MIGRATION_PULL},
    {FACT(BY_IDLE), FACT(TO_HERE), MIGRATION_UNKNOWN},
    {0, FACT(TO_HERE), MIGRATION_AFFINITY},
    {FACT(BY_IDLE), 0, MIGRATION_PULL},
    {FACT(CPU_SLEEPS) | FACT(NO_PULL), 0, MIGRATION_UNKNOWN},
    {FACT(CPU_SLEEPS) | FACT(OTHERS_WAIT), 0, MIGRATION_UNKNOWN},
    {FACT(CPU_SLEEPS), 0, MIGRATION_PULL},
    {FACT(CPU_LOST), 0, MIGRATION_UNKNOWN},
    {FACT(CPU_LEAVES), 0, MIGRATION_UNKNOWN},
    {FACT(CPU_SEEN), 0, MIGRATION_AFFINITY},
    {0, 0, RULE_WAIT},
};

/* Real-time and deadline tasks are moved by their own classes: after a wakeup, by an interrupt, after a switch to a
 * task of these classes, or before a switch from one. Anything else may be affinity, or a change of a task's class. */
static const struct migration_rule real_time_rules[] = {
    {FACT(AFTER_REAL_TIME_WAKEUP), 0, MIGRATION_RT_PUSH},
    {FACT(FROM_HERE) | FACT(IN_INTERRUPT), 0, MIGRATION_RT_PUSH},
    {FACT(FROM_HERE) | FACT(IN_SOFTIRQ), 0, MIGRATION_RT_PUSH},
    {FACT(FROM_HERE) | FACT(BY_REAL_TIME) | FACT(AFTER_SWITCH), 0, MIGRATION_RT_PUSH},
    {FACT(FROM_HERE), 0, MIGRATION_UNKNOWN},
    {0, FACT(TO_HERE), MIGRATION_UNKNOWN},
    {0, FACT(BY_REAL_TIME), MIGRATION_UNKNOWN},
    {FACT(CPU_SLEEPS), 0, MIGRATION_RT_PULL},
    {FACT(CPU_LEAVES), 0, MIGRATION_RT_PULL},
    {FACT(CPU_SEEN), 0, MIGRATION_UNKNOWN},
    {0, 0, RULE_WAIT},
};

/* Within schedule(), no event is between a dispatch and the switch. A task that changes another task's affinity causes
 * other events first, because it goes on running. */
static const struct migration_rule dispatch_rules[] = {
    {FACT(STOPPER_PULLS), 0, MIGRATION_DISPATCH},
    {FACT(BY_IDLE), 0, MIGRATION_DISPATCH},
    {FACT(CPU_SLEEPS), 0, MIGRATION_DISPATCH},
    {FACT(CPU_LEAVES), 0, MIGRATION_DISPATCH},
    {FACT(CPU_LOST), 0, MIGRATION_UNKNOWN},
    {FACT(CPU_SEEN), 0, MIGRATION_AFFINITY},
    {0, 0, RULE_WAIT},
};

/* A stopper does not move sleeping tasks, but it wakes tasks that wait for it; a queued wakeup follows later. */
static const struct migration_rule stopper_rules[] = {
    {FACT(SLEPT) | FACT(TASK_WAKES_THERE), 0, MIGRATION_WAKEUP},
    {0, FACT(STOPPER_GONE), RULE_WAIT},
    {FACT(SLEPT), FACT(TASK_SEEN), RULE_WAIT},
    {0, 0, RULE_ASKED},
};

static const struct migration_rule request_rules[] = {
    {FACT(SWAPPED), 0, MIGRATION_NUMA},
    {FACT(MAY_BE_HOTPLUG), 0, MIGRATION_UNKNOWN},
    {FACT(CAN_SWAP), 0, MIGRATION_UNKNOWN},
    {FACT(ASKED_BY_TASK) | FACT(ASKED_BY_ITSELF), 0, MIGRATION_SELF},
    {FACT(ASKED_BY_SOFTIRQ) | FACT(REAL_TIME), 0, MIGRATION_UNKNOWN},
    {FACT(ASKED_BY_SOFTIRQ), 0, MIGRATION_ACTIVE},
    {FACT(ASKED_BY_TASK) | FACT(ASKER_WOKEN), 0, MIGRATION_AFFINITY},
    {FACT(OTHER_WOKEN), FACT(ASKED_BY_TASK), MIGRATION_AFFINITY},
    {FACT(REAL_TIME), 0, MIGRATION_UNKNOWN}, /* perhaps pushed by a stopper: push_cpu_stop() */
    {FACT(ASKED_BY_TASK), FACT(ASKED_FROM_TARGET), MIGRATION_AFFINITY},
    {FACT(ASKED_BY_TASK) | FACT(ASKER_LEFT), 0, MIGRATION_ACTIVE},
    {0, 0, MIGRATION_UNKNOWN},
};

/* Returns the result of the first row that holds. The last row of each table always holds. */
static int apply(const struct migration_rule *rule, uint64_t facts)
{
	while ((facts & rule->all) != rule->all || facts & rule->none)
		rule++;
	return rule->result;
}

static void decide(struct pending_migration *pending, enum migration_cause cause)
{
	pending->migration.traced = cause;
	pending->decided = true;
}

static const struct migration_rule *rules_of_queue(uint64_t facts)
{
	if (facts & FACT(REAL_TIME))
		return real_time_rules;
	return facts & FACT(UNDER_SCHED_EXT) && facts & FACT(IN_TASK) ? dispatch_rules : queue_rules;
}

/* Decides as soon as the facts suffice. */
static void consider(struct pending_migration *pending)
{
	uint64_t facts = pending->facts;
	int result = apply(facts & FACT(BY_STOPPER) ? stopper_rules : wakeup_rules, facts);

	if (result == RULE_QUEUED)
		result = apply(rules_of_queue(facts), facts);
	else if (result == RULE_ASKED)
		result = apply(request_rules, facts);
	if (result != RULE_WAIT)
		decide(pending, (enum migration_cause)result);
}

static bool is_real_time(int32_t prio)
{
	return prio != TASK_PRIO_UNKNOWN && prio < NORMAL_PRIO_MIN;
}

bool migration_names_stopper(const struct sched_comm *comm, int32_t prio, uint32_t cpu)
{
	return prio == 0 && comm_is_cpu_thread(comm, "migration", cpu);
}

static bool is_stopper_pid(const struct task_states *states, int32_t pid, uint32_t cpu)
{
	uint32_t task = pid > 0 ? task_states_find(states, pid, cpu) : TASK_NONE;

	return task != TASK_NONE && migration_names_stopper(task_comm(states, task), states->tasks[task].prio, cpu);
}

/* The context of the event. PREEMPT_RT kernels run softirqs in threads, which are recognised by their name. */
static uint64_t context_fact(const struct task_states *states, const struct sched_event *event)
{
	uint32_t current = states->cpus[event->cpu].current;

	switch (event->context) {
	case SCHED_CONTEXT_TASK:
		return current != TASK_NONE && comm_is_cpu_thread(task_comm(states, current), "ksoftirqd", event->cpu)
			   ? FACT(IN_SOFTIRQ)
			   : FACT(IN_TASK);
	case SCHED_CONTEXT_SOFTIRQ:
		return FACT(IN_SOFTIRQ);
	case SCHED_CONTEXT_HARDIRQ:
		return FACT(IN_INTERRUPT);
	default:
		return 0;
	}
}

static uint64_t fact_if(bool holds, uint64_t fact)
{
	return holds ? fact : 0;
}

/* True if the CPU is left without a task: it runs the idle task, and no other task waits. */
static bool has_no_task(const struct task_states *states, uint32_t cpu)
{
	uint32_t current = states->cpus[cpu].current;

	return current != TASK_NONE && states->tasks[current].is_idle && states->cpus[cpu].runnable == 0;
}

/* Facts about the moved task. */
static uint64_t task_facts(const struct task_states *states, const struct sched_event *event,
			   const struct task_step *step)
{
	bool is_runnable = step->migration.state == TASK_RUNNABLE;
	bool has_slept = step->migration.state == TASK_SLEEPING;
	bool left_runnable = states->tasks[step->migration.task].cause == WAIT_RUNNABLE;

	/* Before Linux 5.18, R may also mean that the task slept and was woken at the same time. */
	return fact_if(is_runnable, FACT(RUNNABLE)) | fact_if(has_slept, FACT(SLEPT)) |
	       fact_if(!is_runnable || left_runnable, FACT(MAY_BE_WAKEUP)) |
	       fact_if(is_real_time(event->migrate.task.prio), FACT(REAL_TIME)) |
	       fact_if(has_slept || has_no_task(states, step->migration.from_cpu), FACT(NO_PULL));
}

/* Facts from the last event of this CPU, if the same task caused it. */
static uint64_t trail_facts(const struct sched_event *event, const struct cpu_trail *cpu)
{
	bool is_same = cpu->before_pid == event->common_pid;
	/* If the move is to this CPU, a task may be pulled by one that wakes another task and leaves. */
	bool may_push = event->migrate.to_cpu != event->cpu && cpu->woken_cpu == event->migrate.from_cpu;

	return fact_if(is_same && cpu->before == SCHED_SWITCH, FACT(AFTER_SWITCH)) |
	       fact_if(is_same && cpu->before == SCHED_WAKEUP && is_real_time(cpu->woken_prio) && may_push,
		       FACT(AFTER_REAL_TIME_WAKEUP));
}

/* Facts about the task that was running on the CPU of the event. */
static uint64_t actor_facts(const struct task_states *states, const struct sched_event *event, uint64_t facts)
{
	uint32_t current = states->cpus[event->cpu].current;
	int32_t prio = current == TASK_NONE ? TASK_PRIO_UNKNOWN : states->tasks[current].prio;
	bool is_interrupt = facts & (FACT(IN_SOFTIRQ) | FACT(IN_INTERRUPT));
	int32_t by_pid = event->common_pid;

	return fact_if(by_pid == 0, FACT(BY_IDLE)) |
	       fact_if(facts & FACT(IN_TASK) && is_real_time(prio) && by_pid > 0, FACT(BY_REAL_TIME)) |
	       fact_if(!is_interrupt && is_stopper_pid(states, by_pid, event->cpu), FACT(BY_STOPPER));
}

/* True if the CPU was idle since then. A CPU that goes idle has dequeued all delayed tasks of its queue. */
static bool was_idle_since(const struct task_states *states, uint32_t cpu, uint64_t since_ns)
{
	uint32_t idle = states->cpus[cpu].idle;

	return idle != TASK_NONE && states->tasks[idle].was_seen && states->tasks[idle].since_ns >= since_ns;
}

/* True if a sleeping task may still be on its queue (delayed dequeue). Softirqs and tasks balance load, and tasks
 * change the affinity; the idle task does neither. */
static bool may_be_queued(const struct task_states *states, const struct sched_event *event,
			  const struct task_step *step, uint64_t facts)
{
	bool may_take_queued = facts & FACT(IN_SOFTIRQ) || (facts & FACT(IN_TASK) && event->common_pid != 0);

	return facts & FACT(SLEPT) && !(facts & FACT(REAL_TIME)) && may_take_queued &&
	       !was_idle_since(states, step->migration.from_cpu, states->tasks[step->migration.task].since_ns);
}

/* The start of the longest wait for the target CPU by another task; UINT64_MAX if there is none. */
static uint64_t others_wait_since(const struct task_states *states, const struct task_step *step)
{
	uint64_t since_ns = UINT64_MAX;
	uint32_t task = states->cpus[step->migration.to_cpu].runnable_first;

	for (int looked = 0; task != TASK_NONE && looked < 64; task = states->tasks[task].next, looked++)
		if (task != step->migration.task && states->tasks[task].since_ns < since_ns)
			since_ns = states->tasks[task].since_ns;
	return since_ns;
}

uint64_t migration_facts(const struct task_states *states, const struct sched_event *event,
			 const struct task_step *step, const struct cpu_trail *cpu)
{
	uint64_t facts = context_fact(states, event) | task_facts(states, event, step) | trail_facts(event, cpu);

	return facts | actor_facts(states, event, facts) |
	       fact_if(event->cpu == event->migrate.from_cpu, FACT(FROM_HERE)) |
	       fact_if(event->cpu == event->migrate.to_cpu, FACT(TO_HERE)) |
	       fact_if(may_be_queued(states, event, step, facts), FACT(MAY_BE_QUEUED)) |
	       /* If a task was already waiting at this CPU's previous event, the CPU is not going idle. */
	       fact_if(others_wait_since(states, step) <= cpu->before_ns, FACT(OTHERS_WAIT));
}

uint64_t migration_request_facts(const struct stopper_request *request, const struct migration *migration)
{
	if (!request->known)
		return 0;
	return fact_if(request->context == SCHED_CONTEXT_TASK, FACT(ASKED_BY_TASK)) |
	       fact_if(request->context == SCHED_CONTEXT_SOFTIRQ, FACT(ASKED_BY_SOFTIRQ)) |
	       fact_if(request->waker_pid == migration->task.pid, FACT(ASKED_BY_ITSELF)) |
	       fact_if(request->waker_cpu == migration->to_cpu, FACT(ASKED_FROM_TARGET)) |
	       fact_if(request->waker_left, FACT(ASKER_LEFT));
}

enum pull_kind migration_pull_kind(const struct pending_migration *pending)
{
	const uint64_t facts = pending->facts;

	if (!(facts & FACT(IN_SOFTIRQ)))
		return facts & FACT(IN_TASK) ? PULL_NEWIDLE : PULL_UNKNOWN;
	if (!(facts & FACT(TO_HERE)))
		return PULL_NOHZ;
	/* In a thread for softirqs it is not known what the CPU ran before. */
	return facts & FACT(BY_IDLE) || pending->event_context != SCHED_CONTEXT_SOFTIRQ ? PULL_UNKNOWN : PULL_PERIODIC;
}

void migration_rule_begin(struct pending_migration *pending)
{
	if (!(pending->facts & FACT(BY_STOPPER)))
		consider(pending);
}

/* Handles a wakeup by the stopper. */
static void note_stopper_wakeup(struct pending_migration *pending, int32_t pid)
{
	const struct migration *migration = &pending->migration;

	/* A task that waited for the stopper sleeps, and is moved when it is woken. */
	if (!(pending->facts & (FACT(WAKEUP_PAST) | FACT(RUNNABLE))) && pid == migration->task.pid) {
		/* If the task asked the stopper itself, it waits for the stopper and is moved first: by the stopper, if
		 * its dequeue was delayed, or by this wakeup. */
		bool may_be_moved = pending->facts & FACT(ASKED_BY_ITSELF) && !pending->request.has_moved;
		decide(pending, may_be_moved ? MIGRATION_UNKNOWN : MIGRATION_WAKEUP);
		return;
	}
	pending->facts |= FACT(WAKEUP_PAST) | fact_if(pid == pending->request.waker_pid, FACT(ASKER_WOKEN)) |
			  fact_if(pid != migration->task.pid, FACT(OTHER_WOKEN));
}

static void note_stopper(struct pending_migration *pending, const struct sched_event *event)
{
	const struct migration *migration = &pending->migration;

	switch (event->kind) {
	case SCHED_LOST:
		decide(pending, MIGRATION_UNKNOWN);
		break;
	case SCHED_MIGRATE:
		pending->facts |= FACT(WAKEUP_PAST) | fact_if(pending->facts & FACT(CAN_SWAP) &&
								  event->migrate.from_cpu == migration->to_cpu &&
								  event->migrate.to_cpu == migration->from_cpu,
							      FACT(SWAPPED));
		break;
	case SCHED_WAKEUP:
		/* A wakeup in an interrupt is not by the stopper. */
		if (event->context != SCHED_CONTEXT_HARDIRQ && event->context != SCHED_CONTEXT_SOFTIRQ)
			note_stopper_wakeup(pending, event->wakeup.task.pid);
		break;
	case SCHED_SWITCH:
		pending->facts |= FACT(WAKEUP_PAST) | FACT(STOPPER_GONE);
		break;
	default:
		break;
	}
}

/* True if the wakeup is too late to be certainly the one that moved the task. */
static bool is_late(const struct pending_migration *pending, uint64_t wakeup_ns)
{
	uint64_t both = FACT(MAY_BE_QUEUED) | FACT(IN_SOFTIRQ);
	uint64_t late_ns = (pending->facts & both) == both ? WAKEUP_LATE_SOFTIRQ_NS : WAKEUP_LATE_NS;

	return !(pending->facts & FACT(REAL_TIME)) && wakeup_ns - pending->migration.ts_ns > late_ns;
}

/* Facts of the wakeup, if it is the next event, of the same task, in the same context. */
static uint64_t wakeup_facts(const struct pending_migration *pending, const struct sched_event *event)
{
	const struct migration *migration = &pending->migration;

	if (pending->facts & FACT(WAKEUP_PAST) || event->common_pid != migration->by_pid ||
	    event->wakeup.task.pid != migration->task.pid || event->context != pending->event_context)
		return 0;
	if (event->kind == SCHED_WAKEUP_NEW)
		return FACT(CPU_STARTED_IT);
	return FACT(CPU_WOKE_IT) | fact_if(is_late(pending, event->ts_ns), FACT(CPU_WOKE_LATE));
}

/* Records the next event of the CPU on which the migration happened. */
static void note_cpu(struct pending_migration *pending, const struct sched_event *event, const struct task_step *step)
{
	const struct migration *migration = &pending->migration;
	uint64_t seen = FACT(WAKEUP_PAST) | FACT(CPU_SEEN);

	switch (event->kind) {
	case SCHED_WAKEUP:
	case SCHED_WAKEUP_NEW:
		pending->facts |= seen | wakeup_facts(pending, event);
		break;
	case SCHED_SWITCH:
		pending->facts |= seen | fact_if(event->switched.prev.pid == migration->by_pid,
						 step_leaves_asleep(step) ? FACT(CPU_SLEEPS) : FACT(CPU_LEAVES));
		break;
	case SCHED_MIGRATE:
		/* One pull may move several tasks. */
		pending->facts |= event->common_pid == migration->by_pid ? FACT(WAKEUP_PAST) : seen;
		break;
	case SCHED_LOST:
		pending->facts |= seen | FACT(CPU_LOST);
		break;
	default:
		break;
	}
}

/* True if the wakeup of the task was queued for its new CPU. */
static bool is_queued_wakeup(const struct pending_migration *pending, const struct task_states *states,
			     const struct sched_event *event)
{
	return event->cpu == pending->migration.to_cpu &&
	       (event->context == SCHED_CONTEXT_HARDIRQ || event->context == SCHED_CONTEXT_UNKNOWN ||
		event->common_pid == 0 || is_stopper_pid(states, event->common_pid, event->cpu));
}

static void note_task(struct pending_migration *pending, const struct task_states *states,
		      const struct sched_event *event)
{
	int32_t pid = pending->migration.task.pid;

	switch (event->kind) {
	case SCHED_WAKEUP:
	case SCHED_WAKEUP_NEW:
		if (event->wakeup.task.pid == pid)
			pending->facts |=
			    FACT(TASK_SEEN) | fact_if(is_queued_wakeup(pending, states, event), FACT(TASK_WAKES_THERE));
		break;
	case SCHED_SWITCH:
		if (event->switched.next.pid == pid)
			pending->facts |= FACT(TASK_SEEN) | FACT(TASK_RUNS);
		else if (event->switched.prev.pid == pid)
			pending->facts |= FACT(TASK_SEEN);
		break;
	case SCHED_MIGRATE:
		pending->facts |= fact_if(event->migrate.task.pid == pid, FACT(TASK_SEEN));
		break;
	default:
		break;
	}
}

void migration_rule_event(struct pending_migration *pending, const struct task_states *states,
			  const struct sched_event *event, const struct task_step *step)
{
	bool is_here = event->cpu == pending->migration.cpu;
	bool by_stopper = pending->facts & FACT(BY_STOPPER);

	/* The wakeup of the task may be among the lost events of any CPU. */
	if (!by_stopper && event->kind == SCHED_LOST && pending->facts & FACT(MAY_BE_WAKEUP)) {
		decide(pending, MIGRATION_UNKNOWN);
		return;
	}
	if (by_stopper && is_here)
		note_stopper(pending, event);
	else if (is_here && !(pending->facts & FACT(CPU_SEEN)))
		note_cpu(pending, event, step);
	if (!(pending->facts & FACT(TASK_SEEN)))
		note_task(pending, states, event);
	if (!pending->decided)
		consider(pending);
}

void migration_rule_give_up(struct pending_migration *pending, bool is_over)
{
	if (is_over) {
		decide(pending, MIGRATION_UNKNOWN);
		return;
	}
	if (pending->facts & FACT(BY_STOPPER)) {
		decide(pending, (enum migration_cause)apply(request_rules, pending->facts));
		return;
	}
	/* No event for a long time: the task did not leave the CPU at once. */
	pending->facts |= FACT(CPU_SEEN) | FACT(WAKEUP_PAST);
	if (pending->facts & FACT(SLEPT))
		pending->facts |= FACT(TASK_SEEN);
	consider(pending);
	if (!pending->decided)
		decide(pending, MIGRATION_UNKNOWN);
}
