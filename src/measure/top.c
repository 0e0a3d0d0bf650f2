/* SPDX-License-Identifier: MIT */
#include "measure/top.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

static void make_room(struct top *top, const struct task_states *states)
{
	uint32_t cpus = states->cpu_count;

	top->tasks = array_reserve(top->tasks, &top->task_count, states->task_count, sizeof(*top->tasks));
	if (top->cpu_count >= cpus)
		return;
	top->cpus = array_extend(top->cpus, top->cpu_count, cpus, sizeof(*top->cpus));
	for (; top->cpu_count < cpus; top->cpu_count++)
		top->cpus[top->cpu_count].hidden.task = TASK_NONE;
}

static bool is_own(const struct top *top, const struct task_states *states, uint32_t task)
{
	return states->tasks[task].pid == top->own_pid;
}

static void add_time(struct top *top, const struct task_states *states, uint32_t cpu, uint32_t task, uint64_t start_ns,
		     uint64_t end_ns)
{
	if (start_ns < top->from_ns)
		start_ns = top->from_ns;
	if (states->tasks[task].is_idle || end_ns <= start_ns)
		return;
	if (is_own(top, states, task)) {
		top->cpus[cpu].own_ns += end_ns - start_ns;
		return;
	}
	top->tasks[task].cpu_time_ns += end_ns - start_ns;
	top->cpus[cpu].busy_ns += end_ns - start_ns;
}

static void count_switch(struct top *top, const struct task_states *states, struct top_cpu *cpu, uint32_t task,
			 enum leave_reason out)
{
	/* The idle task is always runnable; its switches out are not preemptions. */
	bool involuntary = leave_reason_is_runnable(out) && !states->tasks[task].is_idle;

	cpu->switches++;
	cpu->involuntary += involuntary;
	top->tasks[task].switches++;
	top->tasks[task].involuntary += involuntary;
}

bool top_switch(const struct top *top, const struct task_states *states, const struct task_step *step,
		struct task_slice *slice)
{
	if (!(step->changes & STEP_RUN) || step->slice_count == 0 || is_own(top, states, step->started))
		return false;
	*slice = step->slices[step->slice_count - 1];
	if (!is_own(top, states, slice->task))
		return true;
	if (slice->cpu >= top->cpu_count || top->cpus[slice->cpu].hidden.task == TASK_NONE)
		return false;
	*slice = top->cpus[slice->cpu].hidden;
	return slice->task != step->started;
}

static void take_switch(struct top *top, const struct task_states *states, const struct task_step *step)
{
	const struct task_slice *ended = &step->slices[step->slice_count - 1];
	struct top_cpu *cpu = &top->cpus[ended->cpu];
	struct task_slice slice;

	if (top_switch(top, states, step, &slice))
		count_switch(top, states, cpu, slice.task, slice.out);
	cpu->hidden.task = TASK_NONE;
	if (is_own(top, states, step->started))
		cpu->hidden = *ended;
}

static bool is_wanted(const struct top *top, const struct task_states *states, uint32_t task)
{
	return !top->tasks_wanted || task_choice_has(top->tasks_wanted, states, task, states->tasks[task].comm);
}

static void note_wait(struct top *top, const struct task_states *states, enum wait_kind kind,
		      const struct top_wait *wait)
{
	struct top_wait *longest = &top->longest_waits[kind];

	if (top->tasks[wait->task].longest_wait_ns < wait->length_ns)
		top->tasks[wait->task].longest_wait_ns = wait->length_ns;
	if (top->cpus[wait->cpu].longest_wait_ns < wait->length_ns)
		top->cpus[wait->cpu].longest_wait_ns = wait->length_ns;
	if ((longest->task == TASK_NONE || longest->length_ns < wait->length_ns) && is_wanted(top, states, wait->task))
		*longest = *wait;
}

static void take_wait(struct top *top, const struct task_states *states, const struct task_wait *wait)
{
	const struct top_wait ended = {wait->task, wait->cpu, wait->end_ns - wait->since_ns, false};

	if (!is_own(top, states, wait->task) && top->cpus[wait->cpu].hidden.task != wait->task)
		note_wait(top, states, wait_kind_of(wait->cause), &ended);
}

static void take_unfinished_wait(struct top *top, const struct task_states *states, uint32_t number, uint64_t until_ns)
{
	const struct task *task = &states->tasks[number];
	const struct top_wait wait = {number, task->cpu, until_ns - task->since_ns, true};

	if (task_state_of(states, task) == TASK_RUNNABLE && task->since_ns < until_ns && !is_own(top, states, number) &&
	    top->cpus[task->cpu].hidden.task != number)
		note_wait(top, states, wait_kind_of((enum wait_cause)task->cause), &wait);
}

void top_step(struct top *top, const struct task_states *states, const struct sched_event *event,
	      const struct task_step *step)
{
	make_room(top, states);
	if (event->kind == SCHED_LOST) {
		top->cpus[event->cpu].hidden.task = TASK_NONE;
		top->lost += event->lost.count;
	} else {
		top->events++;
	}
	for (unsigned int i = 0; i < step->slice_count; i++)
		add_time(top, states, step->slices[i].cpu, step->slices[i].task, step->slices[i].start_ns,
			 step->slices[i].end_ns);
	/* take_wait() uses the slice of the replaced task, which the switch clears: call it first. */
	if (step->changes & STEP_WAIT)
		take_wait(top, states, &step->wait);
	if (step->changes & STEP_RUN && step->slice_count)
		take_switch(top, states, step);
	if (step->changes & STEP_WAKEUP && !is_own(top, states, step->wakeup.task)) {
		top->tasks[step->wakeup.task].wakeups++;
		top->wakeups++;
	}
}

void top_finish(struct top *top, const struct task_states *states, uint64_t until_ns)
{
	make_room(top, states);
	for (uint32_t cpu = 0; cpu < states->cpu_count; cpu++)
		if (states->cpus[cpu].current != TASK_NONE)
			add_time(top, states, cpu, states->cpus[cpu].current, states->cpus[cpu].since_ns, until_ns);
	for (uint32_t task = 0; task < states->task_count; task++)
		take_unfinished_wait(top, states, task, until_ns);
}

void top_restart(struct top *top, uint64_t from_ns)
{
	for (uint32_t i = 0; i < top->task_count; i++)
		top->tasks[i] = (struct top_task){0};
	for (uint32_t i = 0; i < top->cpu_count; i++)
		top->cpus[i] = (struct top_cpu){.hidden = top->cpus[i].hidden};
	top->from_ns = from_ns;
	top->events = top->lost = top->wakeups = 0;
	for (int kind = 0; kind < WAIT_KINDS; kind++)
		top->longest_waits[kind] = (struct top_wait){.task = TASK_NONE};
}

static bool did_more(const struct top_task *a, const struct top_task *b)
{
	if (a->cpu_time_ns != b->cpu_time_ns)
		return a->cpu_time_ns > b->cpu_time_ns;
	if (a->switches != b->switches)
		return a->switches > b->switches;
	return a->longest_wait_ns > b->longest_wait_ns;
}

uint32_t top_order(const struct top *top, const struct task_states *states, uint32_t *tasks, uint32_t max)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < states->task_count && i < top->task_count; i++) {
		const struct top_task *task = &top->tasks[i];
		if (states->tasks[i].is_idle || !is_wanted(top, states, i) ||
		    (task->cpu_time_ns == 0 && task->switches == 0 && task->longest_wait_ns == 0))
			continue;
		/* Insertion sort is sufficient: max is the number of lines on a screen. */
		uint32_t at = count < max ? count++ : max;
		while (at && did_more(task, &top->tasks[tasks[at - 1]])) {
			if (at < max)
				tasks[at] = tasks[at - 1];
			at--;
		}
		if (at < max)
			tasks[at] = i;
	}
	return count;
}

void top_free(struct top *top)
{
	free(top->tasks);
	free(top->cpus);
	*top = (struct top){0};
}
