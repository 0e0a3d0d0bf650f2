/* SPDX-License-Identifier: MIT */
#include "dataset/extension.h"

#include <errno.h>
#include <stdlib.h>

void extension_begin(struct extension *extension, struct sched_source *source)
{
	*extension = (struct extension){0};
	task_states_begin(&extension->machine, sched_source_outs(source));
}

void extension_end(struct extension *extension)
{
	task_states_free(&extension->machine);
	free(extension->tasks);
	*extension = (struct extension){0};
}

static bool reserve(struct extension *extension)
{
	uint32_t capacity = extension->capacity ? extension->capacity : 1024;

	while (capacity < extension->machine.task_count)
		capacity *= 2;
	struct extension_task *tasks = realloc(extension->tasks, capacity * sizeof(*tasks));
	if (!tasks)
		return false;
	for (uint32_t i = extension->capacity; i < capacity; i++)
		tasks[i] = (struct extension_task){.waker = TASK_NONE};
	extension->tasks = tasks;
	extension->capacity = capacity;
	return true;
}

/* Of the task that waited: how long, and who woke it. */
static void take_wait(const struct extension *extension, const struct task_wait *wait, struct csv_extension *columns)
{
	if (wait->cause != WAIT_WAKEUP && wait->cause != WAIT_NEW)
		return;
	columns->latency_known = true;
	columns->wakeup_latency_ns = wait->end_ns - wait->since_ns;
	columns->waker_known = wait->waker_pid >= 0;
	columns->waker_pid = wait->waker_pid;
	uint32_t waker = extension->tasks[wait->task].waker;
	/* Of a task that was only seen to run, the name may not have been told yet. */
	if (waker != TASK_NONE && (wait->waker_pid == 0 || extension->machine.tasks[waker].prio != TASK_PRIO_UNKNOWN))
		columns->waker = task_comm(&extension->machine, waker);
}

static void take_end(struct extension *extension, const struct task_slice *ended, struct csv_extension *columns)
{
	columns->runtime_known = !ended->start_cut && !ended->end_cut;
	columns->prev_runtime_ns = ended->end_ns - ended->start_ns;
	extension->tasks[ended->task] =
	    (struct extension_task){ended->cpu, extension->machine.epoch + 1, false, TASK_NONE};
}

static void take_start(const struct extension *extension, uint32_t number, uint32_t cpu, struct csv_extension *columns)
{
	const struct extension_task *task = &extension->tasks[number];
	bool is_idle = extension->machine.tasks[number].is_idle; /* never leaves its CPU */

	columns->migrated_known = is_idle || task->epoch == extension->machine.epoch + 1;
	/* Not every trace has the events of migrations. */
	columns->migrated = !is_idle && columns->migrated_known && (task->migrated || task->last_cpu != cpu);
}

static void take_switch(struct extension *extension, const struct sched_event *event, const struct task_step *step,
			struct csv_extension *columns)
{
	*columns = (struct csv_extension){
	    .next_prio = event->switched.next.prio,
	    .prev_pid = event->switched.prev.pid,
	    .prev_prio = event->switched.prev.prio,
	    .runnable = extension->machine.cpus[event->cpu].runnable,
	};
	if (step->what & STEP_WAIT)
		take_wait(extension, &step->wait, columns);
	if (step->what & STEP_RUN)
		take_start(extension, step->started, event->cpu, columns);
	if (step->what & STEP_SLICE)
		take_end(extension, &step->slices[step->slice_count - 1], columns);
}

enum status extension_step(struct extension *extension, const struct sched_event *event, struct csv_extension *columns,
			   struct error *err)
{
	struct task_step step;
	enum status status = task_states_step(&extension->machine, event, &step, err);

	if (status != STATUS_OK)
		return status;
	if (extension->machine.task_count > extension->capacity && !reserve(extension))
		return error_system(err, ENOMEM, NULL, "cannot follow the tasks");
	if (step.what & STEP_WAKEUP && !(step.what & STEP_SPURIOUS))
		extension->tasks[step.wakeup.task].waker = step.wakeup.waker;
	if (step.what & STEP_MIGRATION)
		extension->tasks[step.migration.task].migrated = true;
	if (event->kind == SCHED_SWITCH)
		take_switch(extension, event, &step, columns);
	return STATUS_OK;
}
