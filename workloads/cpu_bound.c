/* SPDX-License-Identifier: MIT
 *
 * Processes that compute sin, cos and sqrt and read the clock every 1000 rounds, as the burners of collect_traces.py
 * do. */
#include "workloads/rows.h"

#include "workloads/burn_cpu.h"
#include "workloads/runner/task.h"

static int burn(struct workload_tasks *tasks, struct task *task, void *context)
{
	(void)context;
	return burn_cpu(tasks, &task->work);
}

static int run_cpu_bound(struct workload_tasks *tasks)
{
	for (unsigned int i = 0; i < tasks->workload->tasks; i++)
		if (task_start_process(tasks, "cpu-bound", burn, NULL) < 0)
			return -1;
	return tasks_release_and_collect(tasks);
}

#define CPU_BOUND                                                                                                      \
	.category = "cpu_bound", .work_unit = "rounds", .task_names = "cpu-bound", .duration_s = 10,                   \
	.exercises = "processes that never sleep: timeslices, fairness, preemption at the tick", .run = run_cpu_bound

const struct workload cpu_bound_4p = {
    .name = "cpu_bound_4p",
    .description = "CPU-bound: 4 processes, 10s",
    .parameters = "processes=4 seconds=10 rounds-per-clock-read=1000",
    .tasks = 4,
    .loops_per_s = 1525,
    .small_scale = 0.09,
    CPU_BOUND,
};
const struct workload cpu_bound_8p = {
    .name = "cpu_bound_8p",
    .description = "CPU-bound: 8 processes, 10s",
    .parameters = "processes=8 seconds=10 rounds-per-clock-read=1000",
    .tasks = 8,
    .loops_per_s = 762,
    .small_scale = 0.06,
    CPU_BOUND,
};
