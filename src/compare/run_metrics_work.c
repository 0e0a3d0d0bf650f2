/* SPDX-License-Identifier: MIT */
#include "compare/run_metrics_work.h"

#include <string.h>

#include "base/memory.h"
#include "base/own_tasks.h"
#include "trace/comm_table.h"

static bool is_worker_name(const struct run_metrics_work *work, const struct sched_comm *comm)
{
	if (work->scope.task_names)
		return comm_is_one_of(comm, work->scope.task_names);
	return !comm_is_kernel_thread(comm) && !comm_is_one_of(comm, OWN_TASKS " <idle>") &&
	       !(comm->length >= 8 && memcmp(comm->bytes, "swapper/", 8) == 0);
}

bool run_work_check_name(struct run_metrics_work *work, const struct task_states *states, uint32_t comm)
{
	work->is_worker =
	    array_reserve(work->is_worker, &work->comm_count, states->comms.count, sizeof(*work->is_worker));
	work->is_worker[comm] = is_worker_name(work, &states->comms.comms[comm]) ? 2 : 1;
	return work->is_worker[comm] == 2;
}

const struct run_role *run_work_role(const struct run_metrics_work *work, const struct task_states *states,
				     uint32_t task)
{
	const struct sched_comm *comm = task_comm(states, task);
	const struct run_work *of = work->scope.work;

	return of ? run_role_of(of->roles, of->role_count, comm->bytes, comm->length) : NULL;
}

struct name_periods *run_work_name(struct run_metrics_work *work, uint32_t comm)
{
	for (size_t i = 0; i < work->name_count; i++)
		if (work->names[i].comm == comm)
			return &work->names[i];
	work->names = xreallocarray(work->names, work->name_count + 1, sizeof(*work->names));
	work->names[work->name_count] = (struct name_periods){.comm = comm};
	work->names[work->name_count].whole = work->names[work->name_count].steady = METRIC_PERIOD_NONE;
	return &work->names[work->name_count++];
}

uint64_t run_work_time(const struct run_metrics_work *work, const struct task_states *states, uint32_t task,
		       uint64_t ts_ns)
{
	const struct task *it = &states->tasks[task];
	uint32_t index = task - work->first_task;
	uint64_t time_ns = index < work->task_count ? work->task_times[index].ns : 0;

	if (task_state_of(states, it) == TASK_RUNNING && it->cpu < states->cpu_count &&
	    states->cpus[it->cpu].current == task && ts_ns > states->cpus[it->cpu].since_ns)
		time_ns += ts_ns - states->cpus[it->cpu].since_ns;
	return time_ns;
}

uint64_t run_work_waits(const struct run_metrics_work *work, const struct task_states *states, uint32_t task,
			uint64_t ts_ns, uint64_t *open_ns)
{
	const struct task *it = &states->tasks[task];
	const uint32_t index = task - work->first_task;

	*open_ns = task_state_of(states, it) == TASK_RUNNABLE && ts_ns > it->since_ns ? ts_ns - it->since_ns : 0;
	return (index < work->task_count ? work->task_times[index].waited_ns : 0) + *open_ns;
}
