/* SPDX-License-Identifier: MIT */
#include "measure/worst_waits.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

/* Number of slices kept per CPU; earlier ones are forgotten. */
#define RING_SLICES 8192u
/* Max number of tasks that are summed separately for one wait. */
#define RAN_TASKS 512u

struct ran_slice {
	uint64_t start_ns, end_ns;
	uint32_t task, comm;
};

struct slice_ring {
	struct ran_slice *slices;
	uint64_t count; /* number of all slices; slice N is at index N modulo RING_SLICES */
};

struct wait_start {
	uint32_t waker, waker_comm, waiting;
	bool waiting_known;
	struct worst_part longest; /* the longest of the completed parts */
	uint32_t cpu;              /* CPU of the current part */
	uint64_t since_ns;         /* start of the current part; 0: unknown */
};

static void reserve(struct worst_waits *waits, const struct task_states *states)
{
	waits->starts = array_reserve(waits->starts, &waits->start_count, states->task_count, sizeof(*waits->starts));
	waits->rings = array_reserve(waits->rings, &waits->ring_count, states->cpu_count, sizeof(*waits->rings));
}

static void note_slice(struct worst_waits *waits, const struct task_slice *slice)
{
	struct slice_ring *ring = &waits->rings[slice->cpu];

	if (!ring->slices)
		ring->slices = xcalloc(RING_SLICES, sizeof(*ring->slices));
	ring->slices[ring->count++ % RING_SLICES] =
	    (struct ran_slice){slice->start_ns, slice->end_ns, slice->task, slice->comm};
}

/* The task begins to wait. */
static void note_start(struct worst_waits *waits, const struct task_states *states, uint32_t number, uint32_t waker)
{
	const struct task *task = &states->tasks[number];
	const struct task_cpu *cpu = &states->cpus[task->cpu];

	if (task_state_of(states, task) != TASK_RUNNABLE)
		return;
	waits->starts[number] = (struct wait_start){
	    .waker = waker,
	    .waker_comm = waker == TASK_NONE ? 0 : states->tasks[waker].comm,
	    .waiting = cpu->runnable - 1,
	    .waiting_known = !cpu->hides_waiting,
	    .cpu = task->cpu,
	    .since_ns = task->since_ns,
	};
}

static struct worst_part find_longest(const struct wait_start *start, uint64_t end_ns)
{
	const struct worst_part last = {start->cpu, start->since_ns, end_ns}, *longest = &start->longest;

	return last.end_ns - last.since_ns > longest->end_ns - longest->since_ns ? last : *longest;
}

/* A waiting task is moved to another CPU. */
static void note_move(struct worst_waits *waits, const struct task_states *states, uint32_t task, uint32_t cpu)
{
	struct wait_start *start = &waits->starts[task];

	start->longest = find_longest(start, states->last_ns);
	start->cpu = cpu;
	start->since_ns = states->last_ns;
}

struct ran_list {
	struct worst_ran tasks[RAN_TASKS];
	uint32_t count;
	uint64_t ns;
};

static void add_ran(struct ran_list *ran, uint32_t task, uint32_t comm, uint64_t ns)
{
	uint32_t i = 0;

	ran->ns += ns;
	while (i < ran->count && ran->tasks[i].task != task)
		i++;
	if (i == RAN_TASKS)
		return;
	if (i == ran->count)
		ran->tasks[ran->count++] = (struct worst_ran){task, comm, 0};
	ran->tasks[i].ns += ns;
}

/* Adds the part of the slice that overlaps the part of the wait. */
static void add_slice(const struct worst_part *part, const struct ran_slice *slice, struct ran_list *ran)
{
	const uint64_t start_ns = slice->start_ns > part->since_ns ? slice->start_ns : part->since_ns,
		       end_ns = slice->end_ns < part->end_ns ? slice->end_ns : part->end_ns;

	if (end_ns > start_ns)
		add_ran(ran, slice->task, slice->comm, end_ns - start_ns);
}

/* Adds the tasks that ran on the CPU during the longest part, from its latest slice back to its beginning. */
static void gather_ran(const struct worst_waits *waits, const struct task_states *states, const struct worst_part *part,
		       struct ran_list *ran)
{
	const struct slice_ring *ring = &waits->rings[part->cpu];
	const struct task_cpu *cpu = &states->cpus[part->cpu];

	ran->count = 0;
	ran->ns = 0;
	if (cpu->current != TASK_NONE)
		add_slice(
		    part,
		    &(struct ran_slice){cpu->since_ns, part->end_ns, cpu->current, states->tasks[cpu->current].comm},
		    ran);
	for (uint64_t i = 0; i < ring->count && i < RING_SLICES; i++) {
		const struct ran_slice *slice = &ring->slices[(ring->count - 1 - i) % RING_SLICES];
		if (slice->end_ns <= part->since_ns)
			break;
		add_slice(part, slice, ran);
	}
}

static int by_time(const void *left, const void *right)
{
	const struct worst_ran *a = left, *b = right;

	if (a->ns != b->ns)
		return a->ns < b->ns ? 1 : -1;
	return a->task < b->task ? -1 : a->task > b->task;
}

static void fill_ran(const struct worst_waits *waits, const struct task_states *states, struct worst_wait *wait)
{
	struct ran_list ran;

	gather_ran(waits, states, &wait->longest, &ran);
	qsort(ran.tasks, ran.count, sizeof(*ran.tasks), by_time);
	wait->ran_count = ran.count;
	wait->ran_ns = ran.ns;
	wait->idle_count = 0;
	for (uint32_t i = 0; i < ran.count; i++) {
		wait->idle_count += states->tasks[ran.tasks[i].task].is_idle;
		if (i < WORST_RAN_MAX)
			wait->ran[i] = ran.tasks[i];
	}
}

static bool does_count(const struct worst_waits *waits, const struct task_states *states, const struct worst_wait *wait)
{
	if (waits->without[wait->cause] || !cpu_mask_has(waits->cpus, wait->cpu))
		return false;
	if (waits->wants && !waits->wants(waits->context, states, wait))
		return false;
	return !waits->tasks || task_choice_has(waits->tasks, states, wait->task, wait->comm);
}

/* Keeps the wait if it is among the longest. */
static void offer(struct worst_waits *waits, const struct cgroups *cgroups, const struct task_states *states,
		  struct worst_wait wait)
{
	uint32_t place = waits->count;
	const struct wait_start *start = &waits->starts[wait.task];

	const struct task_wait of = {
	    .task = wait.task, .cause = wait.cause, .since_ns = wait.since_ns, .end_ns = wait.end_ns};
	cgroups_throttled(cgroups, states, &of, &wait.throttled);
	while (place > 0 && worst_wait_ns(&waits->list[place - 1]) < worst_wait_ns(&wait))
		place--;
	if (place == waits->max || !does_count(waits, states, &wait))
		return;
	if (!waits->list)
		waits->list = xcalloc(waits->max, sizeof(*waits->list));
	wait.run = states->run;
	wait.since_start_ns = wait.since_ns > states->first_ns ? wait.since_ns - states->first_ns : 0;
	wait.waker = start->waker;
	wait.waker_comm = start->waker_comm;
	wait.waiting = start->waiting;
	wait.waiting_known = start->waiting_known;
	wait.longest = start->since_ns < wait.since_ns ? (struct worst_part){wait.cpu, wait.since_ns, wait.end_ns}
						       : find_longest(start, wait.end_ns);
	fill_ran(waits, states, &wait);
	waits->count += waits->count < waits->max;
	memmove(&waits->list[place + 1], &waits->list[place], (waits->count - 1 - place) * sizeof(*waits->list));
	waits->list[place] = wait;
}

void worst_waits_step(struct worst_waits *waits, const struct cgroups *cgroups, const struct task_states *states,
		      const struct task_step *step)
{
	reserve(waits, states);
	for (unsigned int i = 0; i < step->slice_count; i++) {
		note_slice(waits, &step->slices[i]);
		if (!step->slices[i].end_cut && leave_reason_is_runnable(step->slices[i].out))
			note_start(waits, states, step->slices[i].task, TASK_NONE);
	}
	if (step->changes & STEP_MIGRATION && step->migration.state == TASK_RUNNABLE)
		note_move(waits, states, step->migration.task, step->migration.to_cpu);
	if (step->changes & STEP_WAIT)
		offer(waits, cgroups, states,
		      (struct worst_wait){
			  .task = step->wait.task,
			  .comm = step->wait.comm,
			  .cpu = step->wait.cpu,
			  .cause = step->wait.cause,
			  .has_ended = true,
			  .since_ns = step->wait.since_ns,
			  .end_ns = step->wait.end_ns,
			  .migrations = step->wait.migrations,
		      });
	if (step->changes & STEP_WAKEUP && !(step->changes & STEP_SPURIOUS))
		note_start(waits, states, step->wakeup.task, step->wakeup.waker);
}

void worst_waits_end(struct worst_waits *waits, const struct cgroups *cgroups, const struct task_states *states,
		     uint64_t ts_ns)
{
	reserve(waits, states);
	for (uint32_t i = 0; i < states->task_count; i++) {
		const struct task *task = &states->tasks[i];
		if (task->run == states->run && task_state_of(states, task) == TASK_RUNNABLE && ts_ns > task->since_ns)
			offer(waits, cgroups, states,
			      (struct worst_wait){
				  .task = i,
				  .comm = task->comm,
				  .cpu = task->cpu,
				  .cause = (enum wait_cause)task->cause,
				  .since_ns = task->since_ns,
				  .end_ns = ts_ns,
				  .migrations = task->wait_migrations,
			      });
	}
	for (uint32_t cpu = 0; cpu < waits->ring_count; cpu++)
		waits->rings[cpu].count = 0;
}

/* True if a wait of unknown length would count, but for its cause. */
static bool does_count_unknown(const struct worst_waits *waits, const struct task_states *states, uint32_t task,
			       uint32_t cpu)
{
	return cpu_mask_has(waits->cpus, cpu) &&
	       (!waits->tasks || task_choice_has(waits->tasks, states, task, states->tasks[task].comm));
}

/* The same waits as in latency_count_waits(). A lost one may have any cause. */
static void count_unknown(struct worst_waits *waits, const struct task_states *states, const struct sched_event *event,
			  const struct task_step *step)
{
	const struct task_missing_switch *missing = &step->missing;
	const struct task_wait *wait = &step->wait;

	if (step->changes & STEP_SWITCH_MISSING && missing->ends_wait && !waits->without[missing->cause])
		waits->unknown += does_count_unknown(waits, states, missing->after, missing->cpu);
	if (step->changes & STEP_WAIT_LOST)
		waits->unknown += does_count_unknown(waits, states, step->started, event->cpu);
	if (step->changes & STEP_WAIT_FALSE && !waits->without[wait->cause])
		waits->unknown += does_count_unknown(waits, states, wait->task, wait->cpu);
}

static enum status take_step(void *context, const struct pass *pass, const struct sched_event *event,
			     const struct task_step *step, struct error *err)
{
	struct worst_waits *waits = context;

	(void)err;
	if (!pass->all_cpus)
		waits->cpus = pass->cpu_set;
	cgroups_step(&waits->cgroups, pass, event, step);
	worst_waits_step(waits, &waits->cgroups, &pass->states, step);
	count_unknown(waits, &pass->states, event, step);
	return STATUS_OK;
}

static enum status begin_trace(void *context, const struct pass *pass, struct error *err)
{
	struct worst_waits *waits = context;

	(void)err;
	cgroups_begin(&waits->cgroups, pass, false);
	return STATUS_OK;
}

static enum status end_trace(void *context, const struct pass *pass, struct error *err)
{
	struct worst_waits *waits = context;

	(void)err;
	worst_waits_end(waits, &waits->cgroups, &pass->states, pass->run.first_ns + pass_end(pass));
	return STATUS_OK;
}

struct pass_consumer worst_waits_consumer(struct worst_waits *waits)
{
	return (struct pass_consumer){.context = waits, .begin = begin_trace, .step = take_step, .end = end_trace};
}

void worst_waits_free(struct worst_waits *waits)
{
	for (uint32_t cpu = 0; cpu < waits->ring_count; cpu++)
		free(waits->rings[cpu].slices);
	cgroups_free(&waits->cgroups);
	free(waits->rings);
	free(waits->starts);
	free(waits->list);
}
