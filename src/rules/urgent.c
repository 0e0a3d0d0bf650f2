/* SPDX-License-Identifier: MIT */
#include "rules/urgent.h"

#include "rules/class.h"
#include "rules/virtual_time.h"

static enum rule_class class_of(const struct task_states *states, uint32_t task)
{
	const struct sched_task text = {*task_comm(states, task), states->tasks[task].pid, states->tasks[task].prio};

	return rule_class_of(&text);
}

/* A task of a higher class than the running one has been woken on its CPU: what is woken then asks no more. Its own
 * call to reschedule may not be recorded. */
static bool has_higher_class(const struct rules *rules, const struct task_states *states, uint32_t cpu,
			     uint32_t running)
{
	for (size_t i = 0; i < rules->urgent_count; i++)
		if (rules->urgent[i].cpu == cpu && class_of(states, rules->urgent[i].task) > class_of(states, running))
			return true;
	return false;
}

/* Whether both are of the same class above the fair one, and woken is to run before running. */
static bool is_above(const struct rules *rules, const struct task_states *states, uint32_t woken, uint32_t running)
{
	const struct task *own = &states->tasks[woken], *other = &states->tasks[running];
	const struct rules_pid *own_row = rules_row_of(rules, own->pid), *other_row = rules_row_of(rules, other->pid);
	const enum rule_class class = class_of(states, woken);

	if (!own_row || !other_row || class != class_of(states, running))
		return false;
	/* Inherited, or perhaps another one since. */
	if (own_row->own_prio || other_row->own_prio || own_row->may_change_class || other_row->may_change_class)
		return false;
	/* A budget that is refilled moves a deadline back, without an event: an earlier one stays earlier. */
	if (class == CLASS_DEADLINE)
		return own_row->deadline_ns && other_row->deadline_ns &&
		       rule_difference(own_row->deadline_ns, other_row->deadline_ns) < 0;
	return class == CLASS_REAL_TIME && own->prio < other->prio;
}

void urgent_woken(struct rules *rules, const struct task_states *states, const struct rules_cpu *cpu)
{
	const uint32_t number = cpu->last_cpu, woken = task_states_find(states, cpu->enqueued_pid, number);
	const uint32_t running = number < states->cpu_count ? states->cpus[number].current : TASK_NONE;
	struct invariant_moment moment = {.when = WHEN_URGENT_WOKEN, .is_asked = cpu->is_asked};

	if (woken != TASK_NONE && running != TASK_NONE && woken != running && !cpu->had_cause &&
	    !has_higher_class(rules, states, number, running) && is_above(rules, states, woken, running))
		rules_check(rules, &moment, rules->now_ns, number, cpu->enqueued_pid);
}
