/* SPDX-License-Identifier: MIT */
#include "sched/task_losses.h"

#include "sched/task_changes.h"

void task_losses_end_current(struct task_states *machine, uint32_t cpu_number, struct task_step *step)
{
	struct task_cpu *cpu = &machine->cpus[cpu_number];
	uint32_t current = cpu->current;

	if (current == TASK_NONE)
		return;
	struct task *task = &machine->tasks[current];
	uint64_t end = cpu->last_ns > cpu->since_ns ? cpu->last_ns : cpu->since_ns;
	struct task_slice *slice = task_add_slice(machine, cpu_number, step);
	slice->out = LEAVE_UNKNOWN;
	slice->end_cut = true;
	slice->end_ns = end;
	if (task->state == TASK_RUNNING && task->cpu == cpu_number)
		task_set_state(machine, task, TASK_UNKNOWN, end);
	cpu->current = TASK_NONE;
	cpu->since_ns = end;
}

/* Nothing that was known of tasks off their CPUs holds any more. */
static void forget(struct task_states *machine)
{
	machine->epoch++;
	for (uint32_t i = 0; i < machine->cpu_count; i++) {
		machine->cpus[i].runnable = 0;
		machine->cpus[i].runnable_first = TASK_NONE;
	}
}

void task_losses_open_gap(struct task_states *machine, struct task_cpu *cpu)
{
	machine->open_gaps += !cpu->in_gap;
	cpu->in_gap = true;
	forget(machine);
}

void task_losses_close_gap(struct task_states *machine, struct task_cpu *cpu)
{
	machine->open_gaps -= cpu->in_gap;
	cpu->in_gap = false;
	forget(machine);
}

/* A text trace reports only the end of a gap. */
void task_losses_step(struct task_states *machine, const struct sched_event *event, struct task_step *step)
{
	struct task_cpu *cpu = &machine->cpus[event->cpu];

	step->what |= STEP_LOSS;
	if (!cpu->seen)
		cpu->late_start = true;
	task_losses_end_current(machine, event->cpu, step);
	if (event->kind == SCHED_GAP) {
		task_losses_open_gap(machine, cpu);
	} else {
		machine->faults.losses++;
		task_losses_close_gap(machine, cpu);
	}
}
