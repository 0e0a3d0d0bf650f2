/* SPDX-License-Identifier: MIT
 *
 * Like sysbench 1.0 threads: each event takes the next of 8 mutexes and locks it, yields and unlocks it 1000 times. */
#include <sched.h>

#include "workloads/rows.h"
#include "workloads/runner/task.h"

#define MUTEXES          8
#define YIELDS_PER_EVENT 1000

/* 0: free, 1: locked, 2: locked, perhaps with waiters. The original runs on glibc, whose plain mutex sleeps at once;
 * musl's spins first, which would change who runs next while the holder yields. So this is glibc's: one
 * compare-and-swap, then the futex. */
struct mutex {
	_Alignas(64) uint32_t state;
};

struct shared_by_threads {
	struct mutex mutexes[MUTEXES];
	_Alignas(64) uint32_t events_begun;
};

static void mutex_lock(struct mutex *mutex)
{
	uint32_t expected = 0;

	if (__atomic_compare_exchange_n(&mutex->state, &expected, 1, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
		return;
	while (__atomic_exchange_n(&mutex->state, 2, __ATOMIC_ACQUIRE) != 0)
		futex_wait(&mutex->state, 2, false);
}

static void mutex_unlock(struct mutex *mutex)
{
	if (__atomic_exchange_n(&mutex->state, 0, __ATOMIC_RELEASE) == 2)
		futex_wake(&mutex->state, 1, false);
}

static int yield_under_locks(struct workload_tasks *tasks, struct task *task, void *context)
{
	struct shared_by_threads *shared = context;

	while (task_goes_on(tasks, task->work)) {
		uint32_t event = __atomic_fetch_add(&shared->events_begun, 1, __ATOMIC_RELAXED);
		struct mutex *mutex = &shared->mutexes[event % MUTEXES];
		for (unsigned int i = 0; i < YIELDS_PER_EVENT; i++) {
			mutex_lock(mutex);
			sched_yield();
			mutex_unlock(mutex);
		}
		task->work++;
	}
	return 0;
}

static int run_sysbench_threads(struct workload_tasks *tasks)
{
	static struct shared_by_threads shared;

	for (unsigned int i = 0; i < tasks->workload->tasks; i++)
		if (task_start_thread(tasks, "sysbench-thr", yield_under_locks, &shared) < 0)
			return -1;
	return tasks_release_and_collect(tasks);
}

#define SYSBENCH_THREADS                                                                                               \
	.category = "sysbench_threads", .work_unit = "events", .task_names = "sysbench-thr", .duration_s = 10,         \
	.exercises = "sched_yield and futex contention: the next task when a runnable one yields",                     \
	.run = run_sysbench_threads

const struct workload sysbench_threads_8t = {
    .name = "sysbench_threads_8t",
    .description = "Sysbench threads: 8 threads, 10s",
    .parameters = "threads=8 seconds=10 mutexes=8 yields=1000",
    .tasks = 8,
    .loops_per_s = 40,
    .small_scale = 0.015,
    SYSBENCH_THREADS,
};
const struct workload sysbench_threads_16t = {
    .name = "sysbench_threads_16t",
    .description = "Sysbench threads: 16 threads, 10s",
    .parameters = "threads=16 seconds=10 mutexes=8 yields=1000",
    .tasks = 16,
    .loops_per_s = 13,
    .small_scale = 0.03,
    SYSBENCH_THREADS,
};
