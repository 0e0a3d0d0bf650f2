/* SPDX-License-Identifier: MIT */
#include "compare/run_misfits.h"

void run_misfits_advance(struct run_metrics_work *work, uint64_t ts_ns)
{
	for (uint32_t i = 0; i < work->misfit_count; i++) {
		const uint64_t since_ns =
		    work->misfits_due_ns[i] > work->now_ns ? work->misfits_due_ns[i] : work->now_ns;
		work->now[SUM_MISFIT_NS] += ts_ns > since_ns ? ts_ns - since_ns : 0;
	}
}

static bool has_larger_idle(const struct run_metrics_work *work, const struct task_states *states, uint32_t task,
			    uint32_t cpu)
{
	const uint16_t *capacities = work->scope.capacities;

	for (uint32_t i = 0; i < work->waiting.cpu_count && i < CPU_LEVELS_CPUS; i++)
		if (work->waiting.is_idle[i] && capacities[i] > capacities[cpu] &&
		    idle_waiting_may_use(&work->waiting, states, task, i))
			return true;
	return false;
}

void run_misfits_find(struct run_metrics_work *work, const struct task_states *states)
{
	work->misfit_count = 0;
	if (!work->scope.capacities || !work->waiting.idle_count)
		return;
	for (uint32_t cpu = 0; cpu < states->seen_cpus && cpu < CPU_LEVELS_CPUS; cpu++) {
		const uint32_t task = states->cpus[cpu].current;
		const uint32_t number = task == TASK_NONE ? UINT32_MAX : task - work->first_task;
		if (number >= work->task_count || !cpu_totals_wants(&work->cpus, cpu) ||
		    task_cpu_may_be_busy(&states->cpus[cpu]) || !work->task_times[number].awake_ns ||
		    !run_work_has(work, states, task, states->tasks[task].comm) ||
		    !has_larger_idle(work, states, task, cpu))
			continue;
		work->misfits_due_ns[work->misfit_count++] = work->task_times[number].awake_ns + MISFIT_AWAKE_NS;
	}
}
