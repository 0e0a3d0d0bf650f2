/* SPDX-License-Identifier: MIT */
#include "analysis/affinity.h"

#include <stdlib.h>
#include <string.h>

bool affinity_add(struct affinity *affinity, const struct task_slice *slice)
{
	if (slice->task >= affinity->count) {
		uint32_t count = slice->task < 32 ? 64 : slice->task + slice->task / 2 + 1;
		struct affinity_task *tasks = realloc(affinity->tasks, count * sizeof(*tasks));
		if (!tasks)
			return false;
		memset(tasks + affinity->count, 0, (count - affinity->count) * sizeof(*tasks));
		affinity->tasks = tasks;
		affinity->count = count;
	}
	struct affinity_task *task = &affinity->tasks[slice->task];
	bool moved = task->runs > 0 && task->last_cpu != slice->cpu;
	/* What lost events or the window's edge cut off is no run of its own. */
	if (task->runs == 0 || moved || !slice->start_cut)
		task->runs++;
	task->changes += moved;
	task->cpu_time_ns += slice->end_ns - slice->start_ns;
	task->last_cpu = slice->cpu;
	return cpu_sets_add(&affinity->ran, slice->task, slice->cpu);
}

void affinity_free(struct affinity *affinity)
{
	free(affinity->tasks);
	cpu_sets_free(&affinity->ran);
}

int affinity_score(uint64_t runs, uint64_t firsts, uint64_t changes)
{
	if (runs <= firsts)
		return -1;
	uint64_t chances = runs - firsts;
	return (int)((chances - changes) * 10000 / chances);
}
