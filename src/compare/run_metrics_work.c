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

bool run_work_check_name(struct run_metrics_work *work, uint32_t comm)
{
	const struct comm_table *comms = &work->states->comms;

	work->is_worker = array_reserve(work->is_worker, &work->comm_count, comms->count, sizeof(*work->is_worker));
	work->is_worker[comm] = is_worker_name(work, &comms->comms[comm]) ? 2 : 1;
	return work->is_worker[comm] == 2;
}

uint32_t run_work_next(struct run_metrics_work *work, uint32_t task)
{
	const struct task_states *states = work->states;

	for (task = task == TASK_NONE ? work->first_task : task + 1; task < states->task_count; task++)
		if (states->tasks[task].was_seen && run_work_has(work, task, states->tasks[task].comm))
			return task;
	return TASK_NONE;
}

const struct run_role *run_work_role(const struct run_metrics_work *work, uint32_t task)
{
	const struct sched_comm *comm = task_comm(work->states, task);
	const struct run_work *of = work->scope.work;

	return of ? run_role_of(of->roles, of->role_count, comm->bytes, comm->length) : NULL;
}

struct name_periods *run_work_name(struct run_metrics_work *work, uint32_t comm)
{
	for (size_t i = 0; i < work->name_count; i++)
		if (work->names[i].comm == comm)
			return &work->names[i];
	work->names = xreallocarray(work->names, work->name_count + 1, sizeof(*work->names));
	work->names[work->name_count] =
	    (struct name_periods){.comm = comm, .periods = {METRIC_PERIOD_NONE, METRIC_PERIOD_NONE}};
	return &work->names[work->name_count++];
}

/* --- Times of tasks --- */

/* The rest of a time, without that before the steady part. */
static uint64_t part_of(uint64_t ns, uint64_t unsteady_ns, enum period_kind kind)
{
	if (kind == PERIOD_WHOLE)
		return ns;
	return ns > unsteady_ns ? ns - unsteady_ns : 0;
}

uint64_t run_work_time(const struct run_metrics_work *work, uint32_t task, uint64_t ts_ns, enum period_kind kind)
{
	const struct task_states *states = work->states;
	const struct task *it = &states->tasks[task];
	const struct task_time time = run_work_task(work, task);
	uint64_t ns = time.ns;

	if (task_state_of(states, it) == TASK_RUNNING && it->cpu < states->cpu_count &&
	    states->cpus[it->cpu].current == task && ts_ns > states->cpus[it->cpu].since_ns)
		ns += ts_ns - states->cpus[it->cpu].since_ns;
	return part_of(ns, time.unsteady_ns, kind);
}

uint64_t run_work_waits(const struct run_metrics_work *work, uint32_t task, uint64_t ts_ns, enum period_kind kind,
			uint64_t *open_ns)
{
	const struct task *it = &work->states->tasks[task];
	const struct task_time time = run_work_task(work, task);

	*open_ns = task_state_of(work->states, it) == TASK_RUNNABLE && ts_ns > it->since_ns ? ts_ns - it->since_ns : 0;
	return part_of(time.waited_ns + *open_ns, time.unsteady_waited_ns, kind);
}
