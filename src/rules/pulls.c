/* SPDX-License-Identifier: MIT */
#include "rules/pulls.h"

#include <string.h>

#include "rules/key_events.h"
#include "rules/placement.h"

static bool is_softirq_thread(const struct sched_comm *comm)
{
	static const char name[] = "ksoftirqd/";

	return comm->length >= sizeof(name) - 1 && memcmp(comm->bytes, name, sizeof(name) - 1) == 0;
}

/* Whether the CPU pulls the task in schedule(), since it has none left (sched_balance_newidle()): where each CPU is a
 * group of its own, that moves tasks, not load. Ticks balance too, in an interrupt, or in a thread of a real-time
 * kernel. */
static bool is_pulled_to_idle(const struct rules *rules, const struct task_states *states,
			      const struct sched_event *event, const struct task_step *step)
{
	const uint32_t from = step->migration.from_cpu, to = step->migration.to_cpu;
	const uint32_t others = step->migration.state == TASK_RUNNABLE;
	const uint64_t cpus = from < 64 && to < 64 ? cpu_bit(from) | cpu_bit(to) : 0;
	const uint32_t running = to < states->cpu_count ? states->cpus[to].current : TASK_NONE;

	return event->cpu == to && event->context == SCHED_CONTEXT_TASK && cpus &&
	       (cpus & ~(rules->mark.shared_cache & ~rules->mark.isolated)) == 0 && !rules->cpus[to].has_arrival &&
	       running != TASK_NONE && !states->tasks[running].is_idle && states->cpus[to].runnable == others &&
	       !is_softirq_thread(task_comm(states, running));
}

void pulls_move(struct rules *rules, const struct task_states *states, const struct sched_event *event,
		const struct task_step *step)
{
	const int32_t pid = states->tasks[step->migration.task].pid;
	struct rules_pid *row = rules_row_of(rules, pid);
	const struct rule_entity keys = rules_known_keys(rules, row ? row->entity : 0);
	struct invariant_moment moment = {.when = WHEN_PULLED, .before = &keys};

	if (!row || !keys.weight || row->is_woken || !is_pulled_to_idle(rules, states, event, step))
		return;
	if (!keys.is_delayed) {
		rules_check(rules, &moment, rules->now_ns, event->cpu, pid);
		return;
	}
	row->pulled_cpus = cpu_bit(step->migration.from_cpu) | cpu_bit(step->migration.to_cpu);
	row->pulled_to = step->migration.to_cpu;
	row->pulled_ns = rules->now_ns;
}

/* It was moved as it was pulled if it may run where it was: else its affinity has moved it. */
void pulls_enqueue(struct rules *rules, struct rules_pid *row, const struct key_event *keys)
{
	const struct rule_entity sleeper = {.is_delayed = true};
	struct invariant_moment moment = {.when = WHEN_PULLED, .before = &sleeper};

	if (row->pulled_cpus && (row->pulled_cpus & ~keys->enqueued.cpus) == 0)
		rules_check(rules, &moment, row->pulled_ns, row->pulled_to, keys->enqueued.pid);
	row->pulled_cpus = 0;
	row->is_woken = false;
}
