/* SPDX-License-Identifier: MIT */
#include "data/extended_columns.h"

#include <errno.h>
#include <stdlib.h>

void extended_columns_begin(struct extended_columns *extended, struct sched_source *source)
{
	*extended = (struct extended_columns){0};
	task_states_begin(&extended->states, sched_source_leave_reasons(source), sched_source_scope(source));
}

void extended_columns_end(struct extended_columns *extended)
{
	task_states_free(&extended->states);
	free(extended->tasks);
	*extended = (struct extended_columns){0};
}

static bool reserve(struct extended_columns *extended)
{
	uint32_t capacity = extended->capacity ? extended->capacity : 1024;

	while (capacity < extended->states.task_count)
		capacity *= 2;
	struct extended_task *tasks = realloc(extended->tasks, capacity * sizeof(*tasks));
	if (!tasks)
		return false;
	for (uint32_t i = extended->capacity; i < capacity; i++)
		tasks[i] = (struct extended_task){.waker = TASK_NONE};
	extended->tasks = tasks;
	extended->capacity = capacity;
	return true;
}

/* How long the task waited, and which task woke it. */
static void take_wait(const struct extended_columns *extended, const struct task_wait *wait,
		      struct csv_extended *columns)
{
	if (wait->cause != WAIT_WAKEUP && wait->cause != WAIT_NEW)
		return;
	columns->latency_known = true;
	columns->wakeup_latency_ns = wait->end_ns - wait->since_ns;
	columns->waker_known = wait->waker_pid >= 0;
	columns->waker_pid = wait->waker_pid;
	uint32_t waker = extended->tasks[wait->task].waker;
	/* The name of a task that was only seen running may still be unknown. */
	if (waker != TASK_NONE && (wait->waker_pid == 0 || extended->states.tasks[waker].prio != TASK_PRIO_UNKNOWN))
		columns->waker = task_comm(&extended->states, waker);
}

/* Also of slices whose end is only known from another task that runs there. */
static void note_ends(struct extended_columns *extended, const struct task_step *step)
{
	for (unsigned int i = 0; i < step->slice_count; i++) {
		const struct task_slice *ended = &step->slices[i];
		extended->tasks[ended->task] =
		    (struct extended_task){ended->cpu, extended->states.epoch + 1, false, TASK_NONE};
	}
}

static void take_start(const struct extended_columns *extended, uint32_t number, uint32_t cpu,
		       struct csv_extended *columns)
{
	const struct extended_task *task = &extended->tasks[number];
	bool is_idle = extended->states.tasks[number].is_idle; /* never leaves its CPU */

	columns->migrated_known = is_idle || task->epoch == extended->states.epoch + 1;
	/* Some traces lack migration events. */
	columns->migrated = !is_idle && columns->migrated_known && (task->migrated || task->last_cpu != cpu);
	/* Moves there and back may be missing. */
	if (!columns->migrated && trace_scope_is_part(extended->states.scope))
		columns->migrated_known = false;
}

static void take_switch(struct extended_columns *extended, const struct sched_event *event,
			const struct task_step *step, struct csv_extended *columns)
{
	*columns = (struct csv_extended){
	    .next_prio = event->switched.next.prio,
	    .prev_pid = event->switched.prev.pid,
	    .prev_prio = event->switched.prev.prio,
	    .runnable_known = !extended->lacks_wakeups && !trace_scope_is_part(extended->states.scope),
	    .runnable = extended->states.cpus[event->cpu].runnable,
	};
	if (step->changes & STEP_WAIT)
		take_wait(extended, &step->wait, columns);
	if (step->changes & STEP_RUN)
		take_start(extended, step->started, event->cpu, columns);
	if (step->changes & STEP_SLICE) {
		const struct task_slice *ended = &step->slices[step->slice_count - 1];
		columns->runtime_known = !ended->start_cut && !ended->end_cut;
		columns->prev_runtime_ns = ended->end_ns - ended->start_ns;
	}
}

enum status extended_columns_step(struct extended_columns *extended, const struct sched_event *event,
				  struct csv_extended *columns, struct error *err)
{
	struct task_step step;
	enum status status = task_states_step(&extended->states, event, &step, err);

	if (status != STATUS_OK)
		return status;
	if (extended->states.task_count > extended->capacity && !reserve(extended))
		return error_system(err, ENOMEM, NULL, "cannot follow the tasks");
	if (step.changes & STEP_SLICE && !(step.changes & STEP_LOSS))
		note_ends(extended, &step);
	if (step.changes & STEP_WAKEUP && !(step.changes & STEP_SPURIOUS))
		extended->tasks[step.wakeup.task].waker = step.wakeup.waker;
	if (step.changes & STEP_MIGRATION)
		extended->tasks[step.migration.task].migrated = true;
	if (event->kind == SCHED_SWITCH)
		take_switch(extended, event, &step, columns);
	return STATUS_OK;
}
