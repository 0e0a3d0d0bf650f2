/* SPDX-License-Identifier: MIT */
#include "data/decisions.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/own_tasks.h"

static void note_slices(struct decisions *decisions, const struct task_states *states, const struct task_step *step)
{
	for (unsigned int i = 0; i < step->slice_count; i++) {
		const struct task_slice *slice = &step->slices[i];
		struct decision_task *task = &decisions->tasks[slice->task];
		uint64_t length = slice->end_ns - slice->start_ns;
		task->runtime_ns += length;
		task->slice_ns += length;
		task->last_cpu = slice->cpu;
		task->cpu_epoch = states->epoch + 1;
	}
}

/* A switch to the task is missing: its CPU times since its wakeup and since the start of the trace are unknown. */
static void note_missing(struct decisions *decisions, uint32_t task)
{
	decisions->tasks[task].lacks_start = true;
	decisions->tasks[task].slice_epoch = 0;
}

static void note_wakeup(struct decisions *decisions, const struct task_states *states, const struct task_step *step)
{
	struct decision_task *task = &decisions->tasks[step->wakeup.task];

	if (step->changes & STEP_SPURIOUS)
		return;
	task->slice_ns = 0;
	task->slice_epoch = states->epoch + 1;
}

/* The tasks that wait for the CPU of the decision, except the one that has just left it. */
static uint32_t collect_waiting(struct decisions *decisions, const struct task_states *states, int32_t left_pid)
{
	const struct task_cpu *cpu = &states->cpus[decisions->decision.cpu];
	uint32_t count = 0;

	decisions->waiting =
	    array_grow(decisions->waiting, &decisions->waiting_capacity, cpu->runnable, sizeof(*decisions->waiting));
	for (uint32_t i = cpu->runnable_first; i != TASK_NONE; i = states->tasks[i].next)
		if (states->tasks[i].pid != left_pid)
			decisions->waiting[count++] = i;
	return count;
}

static bool comes_before(const struct task_states *states, const struct decision_candidate *a,
			 const struct decision_candidate *b)
{
	if (a->since_ns != b->since_ns)
		return a->since_ns < b->since_ns;
	return states->tasks[a->task].pid < states->tasks[b->task].pid;
}

/* Inserts the candidate in order; only the first DECISION_CANDIDATES_MAX are kept. */
static void insert(struct decision *decision, const struct task_states *states,
		   const struct decision_candidate *candidate, bool is_chosen)
{
	uint32_t at = decision->listed;

	decision->candidate_count++;
	while (at > 0 && comes_before(states, candidate, &decision->candidates[at - 1]))
		at--;
	if (at == DECISION_CANDIDATES_MAX)
		return;
	if (decision->listed == DECISION_CANDIDATES_MAX) {
		decision->listed--;
		if (decision->chosen == decision->listed)
			decision->chosen = UINT32_MAX;
	}
	memmove(&decision->candidates[at + 1], &decision->candidates[at],
		(decision->listed - at) * sizeof(*decision->candidates));
	decision->candidates[at] = *candidate;
	decision->listed++;
	if (is_chosen)
		decision->chosen = at;
	else if (decision->chosen != UINT32_MAX && decision->chosen >= at)
		decision->chosen++;
}

static struct decision_candidate candidate_of(const struct decisions *decisions, const struct task_states *states,
					      uint32_t number)
{
	const struct decision_task *known = &decisions->tasks[number];
	const struct task *task = &states->tasks[number];

	return (struct decision_candidate){
	    .task = number,
	    .prio = task->prio,
	    .cause = (enum wait_cause)task->cause,
	    .since_ns = task->since_ns,
	    .slice_known = known->slice_epoch == states->epoch + 1,
	    .slice_ns = known->slice_ns,
	    .runtime_known = !known->lacks_start,
	    .runtime_ns = known->runtime_ns,
	    .last_cpu_known = known->cpu_epoch == states->epoch + 1,
	    .last_cpu = known->last_cpu,
	};
}

static void fill_candidates(struct decisions *decisions, const struct task_states *states,
			    const struct decision_candidate *chosen, uint32_t waiting)
{
	struct decision *decision = &decisions->decision;

	decision->chosen_task = chosen->task;
	decision->chosen = UINT32_MAX;
	decision->listed = decision->candidate_count = 0;
	insert(decision, states, chosen, true);
	for (uint32_t i = 0; i < waiting; i++) {
		const struct decision_candidate other = candidate_of(decisions, states, decisions->waiting[i]);
		insert(decision, states, &other, false);
	}
}

static void fill_others(struct decision *decision, const struct task_states *states)
{
	decision->others_running = decision->others_idle = decision->others_waiting = 0;
	decision->others_running_known = decision->others_waiting_known = true;
	for (uint32_t i = 0; i < states->seen_cpus; i++) {
		const struct task_cpu *cpu = &states->cpus[i];
		if (i == decision->cpu)
			continue;
		if (task_cpu_may_be_busy(cpu) || task_cpu_lost_current(cpu))
			decision->others_running_known = false;
		if (task_cpu_may_be_busy(cpu) || cpu->hides_waiting)
			decision->others_waiting_known = false;
		decision->others_waiting += cpu->runnable;
		if (cpu->current == TASK_NONE)
			continue;
		if (states->tasks[cpu->current].is_idle)
			decision->others_idle++;
		else
			decision->others_running++;
	}
}

static void fill_prev(struct decision *decision, const struct sched_event *event, const struct task_step *step)
{
	const struct task_slice *slice = step->slice_count ? &step->slices[step->slice_count - 1] : NULL;

	decision->prev_known = slice && !slice->end_cut;
	decision->prev_ran_known = false;
	if (!decision->prev_known)
		return;
	decision->prev = slice->task;
	decision->prev_out = slice->out;
	decision->prev_ran_known = !slice->start_cut && event->switched.prev.pid != 0;
	decision->prev_ran_ns = slice->end_ns - slice->start_ns;
}

static void count_unknown(struct decision_counts *counts, const struct decision *decision)
{
	counts->decisions++;
	counts->choices += decision->candidate_count > 1;
	counts->unlisted += decision->chosen == UINT32_MAX;
	counts->prev_ran_unknown += !decision->prev_ran_known;
	counts->candidates += decision->listed;
	for (uint32_t i = 0; i < decision->listed; i++) {
		counts->slices_unknown += !decision->candidates[i].slice_known;
		counts->last_cpus_unknown += !decision->candidates[i].last_cpu_known;
	}
}

static bool is_excluded(const struct decisions *decisions, uint32_t cpu, const struct sched_comm *chosen)
{
	return (int64_t)cpu == decisions->tracer_cpu ||
	       (!decisions->include_tracer && comm_is_one_of(chosen, OWN_TASKS));
}

/* False if the switch makes no row; counts the reason. */
static bool is_pick(struct decisions *decisions, const struct task_states *states, const struct sched_event *event,
		    const struct task_step *step)
{
	struct decision_counts *counts = &decisions->counts;
	const struct sched_task *next = &event->switched.next;

	counts->events++;
	if (next->pid == 0)
		counts->to_idle++;
	else if (is_excluded(decisions, event->cpu, &next->comm))
		counts->excluded++;
	else if (states->cpus[event->cpu].hides_waiting)
		counts->after_loss++;
	else if (!(step->changes & STEP_WAIT))
		counts->without_wait++;
	else
		return true;
	return false;
}

static bool pick(struct decisions *decisions, const struct task_states *states, const struct sched_event *event,
		 const struct task_step *step)
{
	struct decision *decision = &decisions->decision;

	if (!is_pick(decisions, states, event, step))
		return false;
	struct decision_candidate chosen = candidate_of(decisions, states, step->wait.task);
	chosen.cause = step->wait.cause;
	chosen.since_ns = step->wait.since_ns;
	decision->cpu = event->cpu;
	fill_prev(decision, event, step);
	fill_others(decision, states);
	fill_candidates(decisions, states, &chosen, collect_waiting(decisions, states, event->switched.prev.pid));
	return true;
}

/* The task has already left the queue. */
static bool move(struct decisions *decisions, const struct task_states *states, const struct sched_event *event,
		 const struct task_step *step)
{
	struct decision_counts *counts = &decisions->counts;
	struct decision *decision = &decisions->decision;

	if (!(step->changes & STEP_MIGRATION) || step->migration.state != TASK_RUNNABLE)
		return false;
	counts->events++;
	const bool is_out = is_excluded(decisions, step->migration.from_cpu, &event->migrate.task.comm) ||
			    is_excluded(decisions, step->migration.to_cpu, &event->migrate.task.comm);
	const bool hides = states->cpus[step->migration.from_cpu].hides_waiting;
	counts->excluded += is_out;
	counts->after_loss += !is_out && hides;
	if (is_out || hides)
		return false;
	const struct decision_candidate chosen = candidate_of(decisions, states, step->migration.task);
	decision->cpu = step->migration.from_cpu;
	decision->to_cpu = step->migration.to_cpu;
	fill_candidates(decisions, states, &chosen, collect_waiting(decisions, states, -1));
	return true;
}

const struct decision *decisions_step(struct decisions *decisions, const struct task_states *states,
				      const struct sched_event *event, const struct task_step *step)
{
	decisions->tasks =
	    array_reserve(decisions->tasks, &decisions->task_count, states->task_count, sizeof(*decisions->tasks));
	if (step->changes & STEP_SLICE)
		note_slices(decisions, states, step);
	if (step->changes & STEP_SWITCH_MISSING)
		note_missing(decisions, step->missing.after);
	if (step->changes & STEP_WAKEUP)
		note_wakeup(decisions, states, step);
	const bool is_made = decisions->of_moves ? move(decisions, states, event, step)
						 : event->kind == SCHED_SWITCH && pick(decisions, states, event, step);
	if (!is_made)
		return NULL;
	decisions->decision.ts_ns = event->ts_ns;
	count_unknown(&decisions->counts, &decisions->decision);
	return &decisions->decision;
}

void decisions_free(struct decisions *decisions)
{
	free(decisions->tasks);
	free(decisions->waiting);
	decisions->tasks = NULL;
	decisions->waiting = NULL;
	decisions->task_count = 0;
	decisions->waiting_capacity = 0;
}
