/* SPDX-License-Identifier: MIT */
#include "trace/task_changes.h"

#include "trace/task_changes.h"

void task_losses_end_current(struct task_states *states, uint32_t cpu_number, struct task_step *step)
{
	struct task_cpu *cpu = &states->cpus[cpu_number];
	uint32_t current = cpu->current;

	if (current == TASK_NONE) {
		if (cpu->seen && cpu->absence != CPU_UNKNOWN)
			task_cpu_begin_absence(cpu, CPU_UNKNOWN,
					       cpu->last_ns > cpu->since_ns ? cpu->last_ns : cpu->since_ns);
		return;
	}
	struct task *task = &states->tasks[current];
	uint64_t end = cpu->last_ns > cpu->since_ns ? cpu->last_ns : cpu->since_ns;
	struct task_slice *slice = task_add_slice(states, cpu_number, step);
	slice->out = LEAVE_UNKNOWN;
	slice->end_cut = true;
	slice->end_ns = end;
	if (task->state == TASK_RUNNING && task->cpu == cpu_number)
		task_set_state(states, task, TASK_UNKNOWN, end);
	task_cpu_begin_absence(cpu, CPU_UNKNOWN, end);
}

/* The state of all tasks that are not running becomes unknown. */
static void forget_waiting_tasks(struct task_states *states, uint64_t ts_ns)
{
	states->has_losses = true;
	states->epoch++;
	states->runnable = 0;
	for (uint32_t i = 0; i < states->cpu_count; i++) {
		states->cpus[i].runnable = 0;
		states->cpus[i].runnable_first = TASK_NONE;
		task_cpu_hide_waiting(&states->cpus[i], ts_ns);
	}
}

void task_losses_open_gap(struct task_states *states, struct task_cpu *cpu, uint64_t ts_ns)
{
	states->open_gaps += !cpu->in_gap;
	cpu->in_gap = true;
	forget_waiting_tasks(states, ts_ns);
}

void task_losses_close_gap(struct task_states *states, struct task_cpu *cpu, uint64_t ts_ns)
{
	states->open_gaps -= cpu->in_gap;
	cpu->in_gap = false;
	forget_waiting_tasks(states, ts_ns);
}

/* A text trace reports only the end of a gap. */
void task_losses_step(struct task_states *states, const struct sched_event *event, struct task_step *step)
{
	struct task_cpu *cpu = &states->cpus[event->cpu];

	step->changes |= STEP_LOSS;
	cpu->is_parked = false;
	if (!cpu->seen)
		cpu->late_start = true;
	task_losses_end_current(states, event->cpu, step);
	if (event->kind == SCHED_GAP) {
		task_losses_open_gap(states, cpu, event->ts_ns);
	} else {
		states->faults.losses++;
		task_losses_close_gap(states, cpu, event->ts_ns);
	}
}
