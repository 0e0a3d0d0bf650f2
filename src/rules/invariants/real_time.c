/* SPDX-License-Identifier: MIT
 *
 * Real-time and deadline tasks among themselves: turns of SCHED_RR, who preempts whom, and that none waits while
 * another CPU runs less urgent ones. */
#include "rules/invariants/families.h"

#include "rules/invariants/check.h"

struct real_time_cpu {
	uint64_t turn_ns; /* that the SCHED_RR task turn_pid ran since an equal one did */
	int32_t turn_pid;
	uint64_t deadline_from_ns, deadline_to_ns; /* when a deadline task ran last; 0: none has */
};

static enum rule_class class_of(const struct sight *sight, uint32_t task)
{
	const struct task *row = &sight->states->tasks[task];
	const struct sched_task text = {*task_comm(sight->states, task), row->pid, row->prio};

	return rule_class_of(&text);
}

static uint32_t first_waiting(const struct sight *sight)
{
	return sight->cpu < sight->states->cpu_count ? sight->states->cpus[sight->cpu].runnable_first : TASK_NONE;
}

/* --- Turns --- */

/* The longest time that a task of the same priority has waited for the CPU. */
static uint64_t find_equal_wait(const struct sight *sight)
{
	const struct sched_task *out = &sight->switched->event->switched.prev;
	uint64_t longest = 0;

	for (uint32_t i = first_waiting(sight); i != TASK_NONE; i = sight->states->tasks[i].next) {
		const struct task *task = &sight->states->tasks[i];
		const uint64_t waited_ns = sight->event->ts_ns - task->since_ns;
		if (task->prio == out->prio && task->pid != out->pid && waited_ns > longest &&
		    machine_is_same_since(sight->machine, task->pid,
					  machine_since_start(sight->machine, task->since_ns)))
			longest = waited_ns;
	}
	const struct task *next = &sight->states->tasks[sight->switched->next];
	const uint64_t since_ns = sight->switched->next_waits_since_ns, now_ns = sight->machine->now_ns;
	if (since_ns && next->prio == out->prio && now_ns - since_ns > longest &&
	    machine_is_same_since(sight->machine, next->pid, since_ns))
		longest = now_ns - since_ns;
	return longest;
}

/* The turn of the task that stops to run, with its runs before; 0: it takes none. */
static uint64_t turn_of(const struct sight *sight, const struct real_time_cpu *cpu)
{
	const struct machine_cpu *running = sight_cpu(sight);

	if (running->class != CLASS_REAL_TIME || running->policy != POLICY_RR || !sight->switched->ran_ns)
		return 0;
	return sight->switched->ran_ns + (cpu->turn_pid == running->pid ? cpu->turn_ns : 0);
}

static enum invariant_result check_turn(const struct sight *sight, const struct family_state *state,
					struct evidence *evidence)
{
	const uint64_t ran_ns = turn_of(sight, state_of_cpu(state, sight->cpu)),
		       waited_ns = ran_ns ? find_equal_wait(sight) : 0;
	const uint64_t both_ns = ran_ns < waited_ns ? ran_ns : waited_ns;

	if (!both_ns || !machine_tick_ns(sight->machine) || !sight->machine->mark.rr_slice_ms ||
	    !machine_is_same_since(sight->machine, sight_cpu(sight)->pid, sight_cpu(sight)->began_ns))
		return INVARIANT_NOT_JUDGED;
	/* The slice is counted in ticks, and a tick may hit a task that preempts for a moment. */
	return expect_max(evidence, "time that it ran while an equal task waited", UNIT_CPU_NS, (int64_t)both_ns,
			  with_tick(sight, sight->machine->mark.rr_slice_ms * UINT64_C(1500000)));
}

/* --- Wakeups --- */

/* Whether a task that was put on the queue is to run before running. Requests for stoppers, and for what is woken
 * beside a lower class, may not be recorded: core.c has both the caller and the function. */
static bool is_above(const struct sight *sight, uint32_t put, uint32_t running)
{
	const struct task *own = &sight->states->tasks[put], *other = &sight->states->tasks[running];
	const int32_t prio = sight->wakeup->event.enqueued.prio;
	const enum rule_class class = prio < 0 ? CLASS_DEADLINE : prio < 100 ? CLASS_REAL_TIME : CLASS_FAIR;
	const enum rule_class below = class_of(sight, running);

	if (!sight->wakeup->event.enqueued.has_prio || class_of(sight, put) == CLASS_STOP ||
	    !machine_knows_prio(sight->machine, other) ||
	    (sight->kind == SEEN_WOKEN && !machine_knows_prio(sight->machine, own)))
		return false;
	if (class != below)
		return sight->kind == SEEN_GIVEN && (below == CLASS_FAIR || below == CLASS_REAL_TIME) &&
		       (class == CLASS_DEADLINE ? !sight->wakeup->event.enqueued.may_lack_budget
						: class == CLASS_REAL_TIME && below == CLASS_FAIR);
	if (class == CLASS_REAL_TIME)
		return prio < other->prio;
	/* A budget that is refilled moves a deadline back, without an event: an earlier one stays earlier. */
	const uint64_t own_ns = machine_task_of(sight->machine, own->pid)->deadline_ns,
		       other_ns = machine_task_of(sight->machine, other->pid)->deadline_ns;
	return class == CLASS_DEADLINE && own_ns && other_ns && rule_difference(own_ns, other_ns) < 0;
}

static enum invariant_result check_urgent(const struct sight *sight, const struct family_state *state,
					  struct evidence *evidence)
{
	const uint32_t woken = task_states_find(sight->states, sight->wakeup->event.enqueued.pid, sight->cpu);
	const uint32_t running =
	    sight->cpu < sight->states->cpu_count ? sight->states->cpus[sight->cpu].current : TASK_NONE;

	(void)state;
	(void)evidence;
	/* Since a loss it is not known whether the CPU had been asked. */
	if (woken == TASK_NONE || running == TASK_NONE || woken == running || sight->wakeup->had_request ||
	    !sight_cpu(sight)->began_ns || !is_above(sight, woken, running))
		return INVARIANT_NOT_JUDGED;
	return holds_if(sight->wakeup->is_asked);
}

/* --- Several CPUs --- */

/* Since when the CPU runs lower classes, or this one task of lower priority; 0: it does not. */
static uint64_t find_lower_since(const struct sight *sight, uint32_t number, int32_t prio)
{
	const struct machine_cpu *cpu = &sight->machine->cpus[number];
	const uint32_t current = number < sight->states->cpu_count ? sight->states->cpus[number].current : TASK_NONE;

	if (cpu->lower_since_ns)
		return cpu->lower_since_ns;
	return current != TASK_NONE && sight->states->tasks[current].prio > prio &&
		       machine_knows_prio(sight->machine, &sight->states->tasks[current])
		   ? cpu->began_ns
		   : 0;
}

/* With the task that stops to run, if it is a deadline task. */
static struct real_time_cpu with_deadline_task(const struct real_time_cpu *known, const struct sight *sight)
{
	struct real_time_cpu cpu = *known;

	if (rule_class_of(&sight->switched->event->switched.prev) == CLASS_DEADLINE) {
		cpu.deadline_from_ns = sight_cpu(sight)->began_ns;
		cpu.deadline_to_ns = sight->machine->now_ns;
	}
	return cpu;
}

/* The longest time that another CPU on which the task may run has run lower ones since then. The kernel pulls no task
 * that waits for deadline tasks alone, it pushes one that is woken while they run; until 5.10, which counts such a CPU
 * as one of lower tasks, not even that, and 6.1 has the same fields. */
static uint64_t find_lower_elsewhere(const struct sight *sight, const struct real_time_cpu *known, uint64_t since_ns)
{
	const struct real_time_cpu cpu = with_deadline_task(known, sight);
	const uint64_t cpus = sight->switched->keys.switched.next_cpus & ~sight->machine->mark.isolated;
	const bool is_pulled = cpu.deadline_to_ns < since_ns;
	const bool is_pushed = is_eevdf(sight) && sight->switched->next_was_woken && cpu.deadline_from_ns &&
			       cpu.deadline_from_ns < since_ns;
	uint64_t longest = 0;

	for (uint32_t i = 0; i < sight->machine->cpu_count && i < 64; i++) {
		const uint64_t lower_ns = find_lower_since(sight, i, sight->switched->event->switched.next.prio);
		const uint64_t from_ns = lower_ns > since_ns ? lower_ns : since_ns, now_ns = sight->machine->now_ns;
		if (i != sight->cpu && (cpus >> i & 1) && lower_ns &&
		    (is_pulled || (is_pushed && lower_ns < since_ns)) && now_ns - from_ns > longest)
			longest = now_ns - from_ns;
	}
	return longest;
}

static enum invariant_result check_spread(const struct sight *sight, const struct family_state *state,
					  struct evidence *evidence)
{
	const struct switch_sight *at = sight->switched;
	const uint64_t higher_ns = sight_cpu(sight)->higher_since_ns, waits_ns = at->next_waits_since_ns;
	const uint64_t since_ns = higher_ns > waits_ns ? higher_ns : waits_ns;

	if (rule_class_of(&at->event->switched.next) != CLASS_REAL_TIME || sight->machine->stops != STOPS_NONE ||
	    !waits_ns || !higher_ns || machine_is_isolated(sight->machine, sight->cpu) || sight->machine->has_hotplug ||
	    !machine_tick_ns(sight->machine) ||
	    !machine_is_same_since(sight->machine, at->event->switched.next.pid, waits_ns))
		return INVARIANT_NOT_JUDGED;
	const uint64_t waited_ns = find_lower_elsewhere(sight, state_of_cpu(state, sight->cpu), since_ns);
	return waited_ns ? expect_max(evidence, "wait beside a CPU that runs lower priorities", UNIT_CPU_NS,
				      (int64_t)waited_ns, with_tick(sight, 0))
			 : INVARIANT_NOT_JUDGED;
}

/* --- What is followed --- */

static void note(struct family_state *state, const struct sight *sight)
{
	struct real_time_cpu *cpu = state_of_cpu(state, sight->cpu);

	for (uint32_t i = 0; sight->kind == SEEN_CHANGE && i < sight->machine->cpu_count; i++)
		((struct real_time_cpu *)state_of_cpu(state, i))->turn_pid = 0;
	if (sight->kind != SEEN_SWITCH)
		return;
	const struct machine_cpu *running = sight_cpu(sight);
	if (running->class == CLASS_REAL_TIME && running->policy == POLICY_RR && sight->switched->ran_ns) {
		cpu->turn_ns = turn_of(sight, cpu);
		cpu->turn_pid = leave_reason_is_runnable(sight->switched->out) ? running->pid : 0;
	}
	*cpu = with_deadline_task(cpu, sight);
}

static const struct invariant_row rows[] = {
    {"rr_turns", "a SCHED_RR task runs at most 1.5 slices while an equal one waits", "turns of SCHED_RR",
     RT_C "task_tick_rt", "SCHED_RR", "keys_switch.next_policy keys_setattr.pid", SEEN_OUT, STOPS_LONG, check_turn},
    {"urgent_preempts",
     "a woken real-time task of higher priority, or deadline task with an earlier deadline, and a waiting task that "
     "becomes one, asks the running one to leave",
     "preemption above the fair class",
     RT_C "wakeup_preempt_rt, switched_to_rt; deadline.c, wakeup_preempt_dl, switched_to_dl",
     "real time, deadline tasks",
     "keys_enqueue.prio keys_enqueue.dl_throttled keys_enqueue.dl_deadline keys_resched.cpu keys_setattr.pid",
     SEEN_WOKEN | SEEN_GIVEN, STOPS_NONE, check_urgent},
    {"rt_spread", "no CPU runs a lower priority while a real-time task waits elsewhere", "real-time tasks wait",
     RT_C "push_rt_task", "real time, for more than a tick", NEEDS_EQUAL_CPUS " keys_switch.next_cpus keys_affinity",
     SEEN_IN, STOPS_SHORT, check_spread},
};

const struct invariant_family real_time_family = {ROWS_OF(rows), .cpu_size = sizeof(struct real_time_cpu),
						  .note = note};
