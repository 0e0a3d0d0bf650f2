/* SPDX-License-Identifier: MIT */
#include "trace/cpu_hotplug.h"

#include "trace/task_changes.h"

static bool is_thread_of(const struct task_states *states, uint32_t task, const char *name, uint32_t cpu)
{
	return states->tasks[task].is_kernel && comm_is_cpu_thread(task_comm(states, task), name, cpu);
}

void cpu_hotplug_note_stop(struct task_states *states, uint32_t cpu, uint32_t task)
{
	if (is_thread_of(states, task, "cpuhp", cpu))
		states->cpus[cpu].is_parked = true;
}

bool cpu_hotplug_switch_in(struct task_states *states, uint32_t cpu_number, uint32_t task, uint64_t ts_ns)
{
	struct task_cpu *cpu = &states->cpus[cpu_number];

	if (is_thread_of(states, task, "cpuhp", cpu_number))
		cpu->is_parked = false;
	if (!is_thread_of(states, task, "migration", cpu_number))
		return false;
	task_set_state(states, &states->tasks[task], TASK_UNKNOWN, ts_ns);
	task_cpu_begin_absence(cpu, CPU_OFFLINE, ts_ns);
	cpu->stopper = task;
	return true;
}

bool cpu_hotplug_hides_wakeups(const struct task_states *states)
{
	for (uint32_t cpu = 0; cpu < states->seen_cpus; cpu++)
		if (task_cpu_is_offline(&states->cpus[cpu]))
			return true;
	return false;
}

bool cpu_hotplug_event(struct task_states *states, const struct sched_event *event, int32_t pid, struct task_step *step)
{
	struct task_cpu *cpu = &states->cpus[event->cpu];

	if (cpu->stopper != TASK_NONE && states->tasks[cpu->stopper].pid == pid) {
		if (event->kind != SCHED_SWITCH)
			return false;
		task_set_state(states, &states->tasks[cpu->stopper], TASK_RUNNING, cpu->since_ns);
		cpu->current = cpu->stopper;
		cpu->since_cut = false;
		return false;
	}
	cpu->is_parked = false;
	step->changes |= STEP_ONLINE;
	step->offline.cpu = event->cpu;
	step->offline.since_ns = cpu->since_ns;
	return true;
}
