/* SPDX-License-Identifier: MIT
 *
 * Processes that calculate and look at the clock every 1000 rounds, as the burners of the original collection do. */
#include <math.h>

#include "workloads/runner/task.h"
#include "workloads/table.h"

#define ROUNDS_PER_LOOK 1000
#define PI              3.14159265358979323846

/* Of angles from -4 to 4, to seven digits by the series: the C library's takes any angle, and 9 KB of the binary. */
static double sine(double angle)
{
	double x = angle > PI / 2 ? PI - angle : angle < -PI / 2 ? -PI - angle : angle;
	double x2 = x * x;

	return x * (1 - x2 * (1. / 6 - x2 * (1. / 120 - x2 * (1. / 5040 - x2 * (1. / 362880 - x2 / 39916800)))));
}

int burn_cpu(struct workload_tasks *tasks, uint64_t *rounds)
{
	double x = 1;

	*rounds = 0;
	while (task_goes_on(tasks, *rounds / ROUNDS_PER_LOOK)) {
		for (unsigned int i = 0; i < ROUNDS_PER_LOOK; i++)
			x = sine(x) * sine(PI / 2 - x) + sqrt(fabs(x) + 1);
		*rounds += ROUNDS_PER_LOOK;
	}
	/* A use of the result that the compiler cannot leave out: x stays between 0 and 3. */
	return x < 0 ? task_fail(tasks, 0, "arithmetic is broken: x is %g", x) : 0;
}

static int burn(struct workload_tasks *tasks, struct task *task, void *context)
{
	(void)context;
	return burn_cpu(tasks, &task->work);
}

static int run(struct workload_tasks *tasks)
{
	for (unsigned int i = 0; i < tasks->workload->tasks; i++)
		if (task_start_process(tasks, "cpu-bound", burn, NULL) < 0)
			return -1;
	return tasks_release_and_collect(tasks);
}

#define CPU_BOUND                                                                                                      \
	.category = "cpu_bound", .work_unit = "rounds", .task_names = "cpu-bound", .duration_s = 10,                   \
	.exercises = "processes that never sleep: timeslices, fairness, preemption at the tick", .run = run

const struct workload cpu_bound_4p = {
    .name = "cpu_bound_4p",
    .description = "CPU-bound: 4 processes, 10s",
    .parameters = "processes=4 seconds=10 rounds-per-clock-read=1000",
    .tasks = 4,
    .loops_per_s = 3650,
    CPU_BOUND,
};
const struct workload cpu_bound_8p = {
    .name = "cpu_bound_8p",
    .description = "CPU-bound: 8 processes, 10s",
    .parameters = "processes=8 seconds=10 rounds-per-clock-read=1000",
    .tasks = 8,
    .loops_per_s = 1825,
    CPU_BOUND,
};
