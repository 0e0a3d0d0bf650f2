/* SPDX-License-Identifier: MIT
 *
 * A task that computes for 1 ms of CPU time every 2 ms, beside hogs that never sleep: when does it run? */
#include <errno.h>
#include <stdint.h>
#include <time.h>

#include "workloads/burn_cpu.h"
#include "workloads/rows.h"
#include "workloads/runner/task.h"

#define HOGS             4
#define PERIOD_NS        2000000
#define WORK_NS          1000000
#define ROUNDS_PER_CHECK 100

struct shared_by_threads {
	uint32_t is_over; /* the periodic task has done its last period */
};

static uint64_t now_ns(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static double work_one_period(double x)
{
	const uint64_t end_ns = now_ns(CLOCK_THREAD_CPUTIME_ID) + WORK_NS;

	while (now_ns(CLOCK_THREAD_CPUTIME_ID) < end_ns)
		x = burn_rounds(x, ROUNDS_PER_CHECK);
	return x;
}

/* Periods that have passed meanwhile are skipped: the next one begins in the future. */
static void sleep_until_next_period(uint64_t *begin_ns)
{
	const uint64_t now = now_ns(CLOCK_MONOTONIC);

	*begin_ns += PERIOD_NS;
	if (*begin_ns < now)
		*begin_ns += (now - *begin_ns + PERIOD_NS - 1) / PERIOD_NS * PERIOD_NS;
	const struct timespec begin = {(time_t)(*begin_ns / 1000000000u), (long)(*begin_ns % 1000000000u)};
	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &begin, NULL) == EINTR)
		;
}

static int run_periods(struct workload_tasks *tasks, struct task *task, void *context)
{
	struct shared_by_threads *shared = context;
	uint64_t begin_ns = now_ns(CLOCK_MONOTONIC);
	double x = 1;

	while (task_goes_on(tasks, task->work)) {
		x = work_one_period(x);
		task->work++;
		sleep_until_next_period(&begin_ns);
	}
	__atomic_store_n(&shared->is_over, 1, __ATOMIC_RELAXED);
	return x < 0 ? task_fail(tasks, 0, "arithmetic is broken: x is %g", x) : 0;
}

/* Its rounds are no work: this workload counts the periods. */
static int burn_beside(struct workload_tasks *tasks, struct task *task, void *context)
{
	const struct shared_by_threads *shared = context;
	double x = 1;

	(void)task;
	while (!__atomic_load_n(&shared->is_over, __ATOMIC_RELAXED) && task_goes_on(tasks, 0))
		x = burn_rounds(x, 10 * ROUNDS_PER_CHECK);
	return x < 0 ? task_fail(tasks, 0, "arithmetic is broken: x is %g", x) : 0;
}

static int run_periodic(struct workload_tasks *tasks)
{
	static struct shared_by_threads shared;

	if (task_start_thread(tasks, "periodic", run_periods, &shared) < 0)
		return -1;
	for (unsigned int i = 0; i < HOGS; i++)
		if (task_start_thread(tasks, "periodic-hog", burn_beside, &shared) < 0)
			return -1;
	return tasks_release_and_collect(tasks);
}

const struct workload periodic_beside_hogs = {
    .name = "periodic_beside_hogs",
    .category = "periodic",
    .description = "Periodic: 1 ms of work every 2 ms beside 4 hogs, 10s",
    .parameters = "period=2ms work=1ms hogs=4 seconds=10",
    .exercises = "a task that sleeps half of the time beside hogs: preemption at its wakeup",
    .work_unit = "periods",
    .task_names = "periodic periodic-hog",
    .duration_s = 10,
    .tasks = 1 + HOGS,
    .loops_per_s = 330,
    .small_scale = 0.09,
    .only_named = true,
    .run = run_periodic,
};
