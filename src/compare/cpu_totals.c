/* SPDX-License-Identifier: MIT */
#include "compare/cpu_totals.h"

#include <stdlib.h>

#include "base/memory.h"

static inline enum cpu_share_state state_of(const struct cpu_totals *totals, const struct task_states *states,
					    uint32_t number)
{
	const struct task_cpu *cpu = &states->cpus[number];

	if (cpu->current == TASK_NONE || !cpu->seen || cpu->in_gap || !cpu_totals_wants(totals, number))
		return CPU_SHARE_NONE;
	return states->tasks[cpu->current].is_idle ? CPU_SHARE_IDLE : CPU_SHARE_BUSY;
}

/* Adds what the CPU adds, or takes it away: sign 1 or -1. */
static inline void add_share(struct cpu_totals *totals, const struct cpu_share *share, uint32_t sign)
{
	if (share->state == CPU_SHARE_NONE)
		return;
	totals->cpus += sign;
	totals->idle += share->state == CPU_SHARE_IDLE ? sign : 0;
	totals->hidden += share->is_hidden ? sign : 0;
	if (!share->is_hidden)
		totals->queued += sign * (share->runnable + (share->state == CPU_SHARE_BUSY));
}

static inline void look_at(struct cpu_totals *totals, const struct task_states *states, uint32_t number)
{
	struct cpu_share *share = &totals->shares[number];
	const struct cpu_share now = {
	    .runnable = states->cpus[number].runnable,
	    .state = state_of(totals, states, number),
	    .is_hidden = states->cpus[number].hides_waiting,
	};

	totals->has_changed |=
	    now.runnable != share->runnable || now.state != share->state || now.is_hidden != share->is_hidden;
	add_share(totals, share, -1u);
	add_share(totals, &now, 1);
	totals->runnable += now.runnable - share->runnable;
	*share = now;
}

static __attribute__((noinline, cold)) void look_at_all(struct cpu_totals *totals, const struct task_states *states)
{
	totals->shares = array_extend(totals->shares, totals->share_count, states->cpu_count, sizeof(*totals->shares));
	totals->share_count = states->cpu_count;
	for (uint32_t cpu = 0; cpu < states->cpu_count; cpu++)
		look_at(totals, states, cpu);
	totals->epoch = states->epoch;
	totals->has_begun = true;
}

static void look_at_queues(struct cpu_totals *totals)
{
	uint32_t fullest = 0, emptiest = UINT32_MAX;

	totals->stranded = 0;
	for (uint32_t cpu = 0; cpu < totals->share_count; cpu++) {
		const struct cpu_share *share = &totals->shares[cpu];
		const uint32_t tasks = share->runnable + (share->state == CPU_SHARE_BUSY);
		if (share->state == CPU_SHARE_NONE || share->is_hidden)
			continue;
		fullest = tasks > fullest ? tasks : fullest;
		emptiest = tasks < emptiest ? tasks : emptiest;
		totals->stranded += share->state == CPU_SHARE_IDLE ? share->runnable : 0;
	}
	totals->imbalance = fullest > emptiest ? fullest - emptiest : 0;
	totals->has_changed = false;
}

static void look_at_named(struct cpu_totals *totals, const struct task_states *states, const struct sched_event *event,
			  const struct task_step *step)
{
	if (!totals->has_begun || totals->share_count < states->cpu_count || totals->epoch != states->epoch ||
	    step->changes & STEP_LOSS) {
		look_at_all(totals, states);
		return;
	}
	look_at(totals, states, event->cpu);
	if (step->changes & STEP_WAKEUP && step->wakeup.target_cpu != event->cpu)
		look_at(totals, states, step->wakeup.target_cpu);
	if (step->changes & STEP_MIGRATION) {
		look_at(totals, states, step->migration.from_cpu);
		look_at(totals, states, step->migration.to_cpu);
	}
	/* A task left the queue of another CPU without a migration event. */
	if (totals->runnable != states->runnable)
		look_at_all(totals, states);
}

void cpu_totals_step(struct cpu_totals *totals, const struct task_states *states, const struct sched_event *event,
		     const struct task_step *step)
{
	look_at_named(totals, states, event, step);
	if (totals->has_changed)
		look_at_queues(totals);
}

void cpu_totals_free(struct cpu_totals *totals)
{
	free(totals->shares);
}
