/* SPDX-License-Identifier: MIT
 *
 * As sysbench 1.0 memory with its defaults: every thread writes the same 1 KiB block (scope global), word by word from
 * its start (sequential), and reads the clock three times for each: is there time left, when did the write begin, when
 * did it end. The reads take longer than the write, so without them threads would meet in the block's cache lines
 * more than the original's do. The original also ends after 100 GiB; this one is
 * timed only, so that a fast machine's trace is not shorter than others. */
#include "workloads/table.h"
#include "workloads/task.h"

#define BLOCK_BYTES 1024
#define BLOCK_WORDS (BLOCK_BYTES / sizeof(uint64_t))

static int write_blocks(struct workload_tasks *tasks, struct task *task, void *context)
{
	uint64_t *block = context;

	while (task_time_is_left(tasks)) {
		monotonic_ns();
		/* Atomic, because all threads write here; a plain store where the processor has one. */
		for (uint64_t word = 0; word < BLOCK_WORDS; word++)
			__atomic_store_n(&block[word], BLOCK_WORDS - word, __ATOMIC_RELAXED);
		monotonic_ns();
		task->work += BLOCK_BYTES;
	}
	return 0;
}

static int run(struct workload_tasks *tasks)
{
	static _Alignas(4096) uint64_t block[BLOCK_WORDS];

	for (unsigned int i = 0; i < tasks->workload->tasks; i++)
		if (task_start_thread(tasks, "sysbench-mem", write_blocks, block) < 0)
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
    .tasks = 4,
    .run = run,
};
