/* SPDX-License-Identifier: MIT
 *
 * Like sysbench 1.0 cpu: each event counts the primes from 3 to below 10000 by trial division up to the square root;
 * threads start events until the time is over. */
#include <math.h>

#include "workloads/rows.h"
#include "workloads/runner/task.h"

#define PRIME_LIMIT 10000

static uint64_t count_primes(void)
{
	uint64_t primes = 0;

	for (uint64_t candidate = 3; candidate < PRIME_LIMIT; candidate++) {
		/* Compared as floating point for each divisor, like the original. */
		double root = sqrt((double)candidate);
		uint64_t divisor = 2;
		while ((double)divisor <= root && candidate % divisor != 0)
			divisor++;
		primes += (double)divisor > root;
	}
	return primes;
}

static int search_primes(struct workload_tasks *tasks, struct task *task, void *context)
{
	(void)context;
	for (uint64_t events = 0; task_goes_on(tasks, events); events++)
		task->work += count_primes();
	return 0;
}

static int run_sysbench_cpu(struct workload_tasks *tasks)
{
	for (unsigned int i = 0; i < tasks->workload->tasks; i++)
		if (task_start_thread(tasks, "sysbench-cpu", search_primes, NULL) < 0)
			return -1;
	return tasks_release_and_collect(tasks);
}

#define SYSBENCH_CPU                                                                                                   \
	.category = "sysbench_cpu", .work_unit = "primes", .task_names = "sysbench-cpu", .duration_s = 10,             \
	.exercises = "threads that never sleep: timeslices, tick preemption, balance between CPUs",                    \
	.run = run_sysbench_cpu

const struct workload sysbench_cpu_4t = {
    .name = "sysbench_cpu_4t",
    .description = "Sysbench CPU: 4 threads, 10s",
    .parameters = "threads=4 seconds=10 prime-limit=10000",
    .tasks = 4,
    .loops_per_s = 184,
    .small_scale = 0.09,
    SYSBENCH_CPU,
};
const struct workload sysbench_cpu_8t = {
    .name = "sysbench_cpu_8t",
    .description = "Sysbench CPU: 8 threads, 10s",
    .parameters = "threads=8 seconds=10 prime-limit=10000",
    .tasks = 8,
    .loops_per_s = 92,
    .small_scale = 0.06,
    SYSBENCH_CPU,
};
