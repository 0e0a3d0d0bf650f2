/* SPDX-License-Identifier: MIT */
#include "data/extended_columns.h"

#include <stdlib.h>

#include "base/csv_field.h"
#include "base/decimal.h"
#include "base/memory.h"

/* --- Values --- */

static char *put_next_prio(char *to, const struct dataset_row *row)
{
	return decimal_put_signed(to, row->event->switched.next.prio);
}

static char *put_prev_pid(char *to, const struct dataset_row *row)
{
	return decimal_put_signed(to, row->event->switched.prev.pid);
}

static char *put_prev_prio(char *to, const struct dataset_row *row)
{
	return decimal_put_signed(to, row->event->switched.prev.prio);
}

static char *put_prev_runtime(char *to, const struct dataset_row *row)
{
	const struct extended_values *values = row->extended;

	return values->runtime_known ? decimal_put_seconds(to, values->prev_runtime_ns) : to;
}

static char *put_wakeup_latency(char *to, const struct dataset_row *row)
{
	const struct extended_values *values = row->extended;

	return values->latency_known ? decimal_put_seconds(to, values->wakeup_latency_ns) : to;
}

static char *put_waker_pid(char *to, const struct dataset_row *row)
{
	return row->extended->waker_known ? decimal_put_signed(to, row->extended->waker_pid) : to;
}

static char *put_waker_comm(char *to, const struct dataset_row *row)
{
	const struct sched_comm *waker = row->extended->waker;

	return waker ? csv_field_put_name(to, waker->bytes, waker->length) : to;
}

static char *put_migrated(char *to, const struct dataset_row *row)
{
	return row->extended->migrated_known ? decimal_put(to, row->extended->migrated) : to;
}

static char *put_runnable_tasks(char *to, const struct dataset_row *row)
{
	return row->extended->runnable_known ? decimal_put(to, row->extended->runnable) : to;
}

const struct column extended_column_rows[] = {
    {"next_prio", "",
     "kernel priority of the task switched in: lower is more urgent, 120 is nice 0, below 100 is real-time",
     COLUMN_INTEGER, .put = put_next_prio},
    {"prev_pid", "", "process id of the task switched out", COLUMN_INTEGER, .put = put_prev_pid},
    {"prev_prio", "", "its kernel priority", COLUMN_INTEGER, .put = put_prev_prio},
    {"prev_runtime", "s, 9 decimals", "how long the task switched out had run since it was switched in", COLUMN_SECONDS,
     .put = put_prev_runtime},
    {"wakeup_latency", "s, 9 decimals",
     "how long the task switched in had waited since its wakeup or fork; empty if it waited for another reason, such "
     "as a preemption",
     COLUMN_SECONDS, .put = put_wakeup_latency},
    {"waker_pid", "",
     "the task that woke or forked it: the task running there at that moment, even if an interrupt caused the wakeup; "
     "0 is an idle CPU",
     COLUMN_INTEGER, .put = put_waker_pid},
    {"waker_comm", "", "name of that task", COLUMN_TEXT, .put = put_waker_comm},
    {"migrated", "0 or 1", "1 if the task switched in changed its CPU since it last ran, even if it came back",
     COLUMN_INTEGER, .put = put_migrated},
    {"runnable_tasks", "tasks",
     "tasks waiting for this CPU at this moment, as far as the trace shows, without the task switched in; empty after "
     "record --pid, and after lost events until the CPU has been idle",
     COLUMN_INTEGER, .put = put_runnable_tasks},
};
const size_t extended_column_count = sizeof(extended_column_rows) / sizeof(*extended_column_rows);

/* --- Their making --- */

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

static void reserve(struct extended_columns *extended)
{
	uint32_t capacity = extended->capacity ? extended->capacity : 1024;

	while (capacity < extended->states.task_count)
		capacity *= 2;
	struct extended_task *tasks = xreallocarray(extended->tasks, capacity, sizeof(*tasks));

	for (uint32_t i = extended->capacity; i < capacity; i++)
		tasks[i] = (struct extended_task){.waker = TASK_NONE};
	extended->tasks = tasks;
	extended->capacity = capacity;
}

/* How long the task waited, and which task woke it. */
static void take_wait(const struct extended_columns *extended, const struct task_wait *wait,
		      struct extended_values *values)
{
	if (wait->cause != WAIT_WAKEUP && wait->cause != WAIT_NEW)
		return;
	values->latency_known = true;
	values->wakeup_latency_ns = wait->end_ns - wait->since_ns;
	values->waker_known = wait->waker_pid >= 0;
	values->waker_pid = wait->waker_pid;
	uint32_t waker = extended->tasks[wait->task].waker;
	/* The name of a task that was only seen running may still be unknown. */
	if (waker != TASK_NONE && (wait->waker_pid == 0 || extended->states.tasks[waker].prio != TASK_PRIO_UNKNOWN))
		values->waker = task_comm(&extended->states, waker);
}

/* A task whose switch out is missing may have run elsewhere since. */
static void note_ends(struct extended_columns *extended, const struct task_step *step)
{
	for (unsigned int i = 0; i < step->slice_count; i++) {
		const struct task_slice *ended = &step->slices[i];
		extended->tasks[ended->task] = (struct extended_task){
		    ended->cpu, ended->end_cut ? 0 : extended->states.epoch + 1, false, TASK_NONE};
	}
}

static void take_start(const struct extended_columns *extended, uint32_t number, uint32_t cpu,
		       struct extended_values *values)
{
	const struct extended_task *task = &extended->tasks[number];
	bool is_idle = extended->states.tasks[number].is_idle; /* never leaves its CPU */

	values->migrated_known = is_idle || task->epoch == extended->states.epoch + 1;
	/* Some traces lack migration events. */
	values->migrated = !is_idle && values->migrated_known && (task->migrated || task->last_cpu != cpu);
	/* Moves there and back may be missing. */
	if (!values->migrated && trace_scope_is_part(extended->states.scope))
		values->migrated_known = false;
}

static void take_switch(struct extended_columns *extended, const struct sched_event *event,
			const struct task_step *step, struct extended_values *values)
{
	*values = (struct extended_values){
	    .runnable_known = !extended->lacks_wakeups && !trace_scope_is_part(extended->states.scope) &&
			      !extended->states.cpus[event->cpu].hides_waiting,
	    .runnable = extended->states.cpus[event->cpu].runnable,
	};
	if (step->changes & STEP_WAIT)
		take_wait(extended, &step->wait, values);
	if (step->changes & STEP_RUN)
		take_start(extended, step->started, event->cpu, values);
	if (step->changes & STEP_SLICE) {
		const struct task_slice *ended = &step->slices[step->slice_count - 1];
		values->runtime_known = !ended->start_cut && !ended->end_cut;
		values->prev_runtime_ns = ended->end_ns - ended->start_ns;
	}
}

enum status extended_columns_step(struct extended_columns *extended, const struct sched_event *event,
				  struct extended_values *values, struct error *err)
{
	struct task_step step;
	enum status status = task_states_step(&extended->states, event, &step, err);

	if (status != STATUS_OK)
		return status;
	if (extended->states.task_count > extended->capacity)
		reserve(extended);
	if (step.changes & STEP_SLICE && !(step.changes & STEP_LOSS))
		note_ends(extended, &step);
	if (step.changes & STEP_WAKEUP && !(step.changes & STEP_SPURIOUS))
		extended->tasks[step.wakeup.task].waker = step.wakeup.waker;
	if (step.changes & STEP_MIGRATION)
		extended->tasks[step.migration.task].migrated = true;
	if (event->kind == SCHED_SWITCH)
		take_switch(extended, event, &step, values);
	return STATUS_OK;
}
