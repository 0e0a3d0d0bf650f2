/* SPDX-License-Identifier: MIT
 *
 * Like sysbench 1.0 memory with its defaults: every thread writes the same 1 KiB block (scope global), word by word
 * from its start (sequential). The original also ends after 100 GiB; this one only ends by time, so that a fast
 * machine's trace is not shorter than others. */
#include <math.h>

#include "base/clock.h"
#include "workloads/rows.h"
#include "workloads/runner/task.h"

#define THREADS     4
#define BLOCK_BYTES 1024
#define BLOCK_WORDS (BLOCK_BYTES / sizeof(uint64_t))

/* Statistics of each event's duration, as sysbench keeps them. Writing a block takes less time than reading the clock
 * and recording these, so without them the threads would contend for the block's cache lines far more than sysbench's
 * do. */
struct latencies {
	uint64_t sum_ns, min_ns, max_ns;
	uint32_t histogram[1024]; /* on a logarithmic scale, for the 95th percentile */
};

struct memory_test {
	_Alignas(4096) uint64_t block[BLOCK_WORDS];
	_Alignas(4096) struct latencies latencies[THREADS];
};

static void record_latency(struct latencies *latencies, uint64_t ns)
{
	/* 40 steps per factor of e: the last one begins at 130 s. */
	double step = log((double)ns + 1) * 40;

	latencies->sum_ns += ns;
	if (ns < latencies->min_ns || latencies->min_ns == 0)
		latencies->min_ns = ns;
	if (ns > latencies->max_ns)
		latencies->max_ns = ns;
	latencies->histogram[step < 1023 ? (unsigned int)step : 1023]++;
}

static int write_blocks(struct workload_tasks *tasks, struct task *task, void *context)
{
	struct memory_test *test = context;
	struct latencies *latencies = &test->latencies[task - tasks->shared->task];

	while (task_goes_on(tasks, task->work / BLOCK_BYTES)) {
		uint64_t begin_ns = clock_ns(CLOCK_MONOTONIC);
		/* Atomic, because all threads write here; compiles to a plain store. */
		for (uint64_t word = 0; word < BLOCK_WORDS; word++)
			__atomic_store_n(&test->block[word], BLOCK_WORDS - word, __ATOMIC_RELAXED);
		record_latency(latencies, clock_ns(CLOCK_MONOTONIC) - begin_ns);
		task->work += BLOCK_BYTES;
	}
	return 0;
}

static int run_sysbench_memory(struct workload_tasks *tasks)
{
	static struct memory_test test;

	for (unsigned int i = 0; i < THREADS; i++)
		if (task_start_thread(tasks, "sysbench-mem", write_blocks, &test) < 0)
			return -1;
	return tasks_release_and_collect(tasks);
}

const struct workload sysbench_memory_4t = {
    .name = "sysbench_memory_4t",
    .category = "sysbench_memory",
    .description = "Sysbench memory: 4 threads, 10s",
    .parameters = "threads=4 seconds=10 block=1KiB scope=global access=sequential",
    .exercises = "threads that never sleep, on the same cache lines: timeslices, migrations",
    .work_unit = "bytes",
    .task_names = "sysbench-mem",
    .duration_s = 10,
    .tasks = THREADS,
    .loops_per_s = 330000,
    .small_scale = 0.09,
    .run = run_sysbench_memory,
};
