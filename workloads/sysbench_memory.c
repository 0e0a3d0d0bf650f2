/* SPDX-License-Identifier: MIT
 *
 * As sysbench 1.0 memory with its defaults: every thread writes the same 1 KiB block (scope global), word by word from
 * its start (sequential). The original also ends after 100 GiB; this one is timed only, so that a fast machine's trace
 * is not shorter than others. */
#include "workloads/runner/task.h"
#include "workloads/table.h"

#define THREADS     4
#define BLOCK_BYTES 1024
#define BLOCK_WORDS (BLOCK_BYTES / sizeof(uint64_t))

/* What the original keeps of each event's duration. Writing a block takes less time than reading the clock and
 * keeping these, so without them the threads would meet in the block's cache lines far more than the original's. */
struct latencies {
	uint64_t sum_ns, least_ns, most_ns;
	uint32_t histogram[1024]; /* by the logarithm, for its 95th percentile */
};

struct memory_test {
	_Alignas(4096) uint64_t block[BLOCK_WORDS];
	_Alignas(4096) struct latencies latencies[THREADS];
};

/* The natural logarithm of a number from 1 on, to five digits: the histogram needs no more, and the C library's takes
 * 5 KB of the binary. */
static double logarithm(uint64_t of)
{
	int doublings = 63 - __builtin_clzll(of);
	double rest = (double)of / (double)(UINT64_C(1) << doublings);
	double s = (rest - 1) / (rest + 1);
	double s2 = s * s;

	return doublings * 0.69314718055994531 + 2 * s * (1 + s2 * (1. / 3 + s2 * (1. / 5 + s2 * (1. / 7 + s2 / 9))));
}

static void note_latency(struct latencies *latencies, uint64_t ns)
{
	/* 40 steps for each factor of e: the last one begins at 130 s. */
	double step = logarithm(ns + 1) * 40;

	latencies->sum_ns += ns;
	if (ns < latencies->least_ns || latencies->least_ns == 0)
		latencies->least_ns = ns;
	if (ns > latencies->most_ns)
		latencies->most_ns = ns;
	latencies->histogram[step < 1023 ? (unsigned int)step : 1023]++;
}

static int write_blocks(struct workload_tasks *tasks, struct task *task, void *context)
{
	struct memory_test *test = context;
	struct latencies *latencies = &test->latencies[task - tasks->shared->task];

	while (task_goes_on(tasks, task->work / BLOCK_BYTES)) {
		uint64_t begin_ns = monotonic_ns();
		/* Atomic, because all threads write here; a plain store where the processor has one. */
		for (uint64_t word = 0; word < BLOCK_WORDS; word++)
			__atomic_store_n(&test->block[word], BLOCK_WORDS - word, __ATOMIC_RELAXED);
		note_latency(latencies, monotonic_ns() - begin_ns);
		task->work += BLOCK_BYTES;
	}
	return 0;
}

static int run(struct workload_tasks *tasks)
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
    .run = run,
};
