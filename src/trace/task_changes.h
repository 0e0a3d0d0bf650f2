/* SPDX-License-Identifier: MIT
 *
 * Updates of single tasks, and the effect of missing events: the running task of that CPU becomes unknown, and so does
 * the state of all tasks that are not running, because any CPU may have one in its queue until it goes idle. Internal
 * to task_states.c and cpu_hotplug.c. */
#ifndef TRACE_TASK_CHANGES_H
#define TRACE_TASK_CHANGES_H

#include "trace/task.h"

/* Ends the time without a current task. */
static inline void task_cpu_end_absence(struct task_cpu *cpu, uint64_t ts_ns)
{
	if (cpu->current == TASK_NONE && ts_ns > cpu->since_ns)
		cpu->absent_ns[cpu->absence] += ts_ns - cpu->since_ns;
}

/* From ts_ns on, the CPU has no known current task. The caller has ended the slice of the previous one. */
static inline void task_cpu_begin_absence(struct task_cpu *cpu, enum cpu_absence why, uint64_t ts_ns)
{
	task_cpu_end_absence(cpu, ts_ns);
	cpu->current = TASK_NONE;
	cpu->absence = (uint8_t)why;
	cpu->since_ns = ts_ns;
}

/* The CPU has become idle: nothing waits for it, unless events are missing right now. */
static inline void task_cpu_show_waiting(const struct task_states *states, struct task_cpu *cpu, uint64_t ts_ns)
{
	if (!cpu->hides_waiting || states->open_gaps)
		return;
	cpu->hidden_ns += task_cpu_hides_for(cpu, ts_ns);
	cpu->hides_waiting = false;
}

/* From now on, tasks whose state is unknown may wait for the CPU. */
static inline void task_cpu_hide_waiting(struct task_cpu *cpu, uint64_t ts_ns)
{
	if (cpu->hides_waiting)
		return;
	cpu->hides_waiting = true;
	cpu->hides_since_ns = ts_ns;
}

static inline void task_set_state(struct task_states *states, struct task *task, enum task_state state, uint64_t ts_ns)
{
	task->state = (uint8_t)state;
	task->epoch = states->epoch;
	task->since_ns = ts_ns;
}

/* Adds the slice of the current task; the caller sets its end. */
static inline struct task_slice *task_add_slice(const struct task_states *states, uint32_t cpu_number,
						struct task_step *step)
{
	const struct task_cpu *cpu = &states->cpus[cpu_number];
	struct task_slice *slice = &step->slices[step->slice_count++];

	step->changes |= STEP_SLICE;
	slice->task = cpu->current;
	slice->comm = states->tasks[cpu->current].comm;
	slice->cpu = cpu_number;
	slice->start_cut = cpu->since_cut;
	slice->start_ns = cpu->since_ns;
	return slice;
}

/* Handles SCHED_LOST or SCHED_GAP. */
void task_losses_step(struct task_states *states, const struct sched_event *event, struct task_step *step);
/* The task on the CPU is unknown from now on; it was last seen there at cpu->last_ns. */
void task_losses_end_current(struct task_states *states, uint32_t cpu_number, struct task_step *step);
/* Events of the CPU are missing from now on, until task_losses_close_gap(). */
void task_losses_open_gap(struct task_states *states, struct task_cpu *cpu, uint64_t ts_ns);
void task_losses_close_gap(struct task_states *states, struct task_cpu *cpu, uint64_t ts_ns);

#endif
