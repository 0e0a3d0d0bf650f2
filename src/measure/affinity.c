/* SPDX-License-Identifier: MIT */
#include "measure/affinity.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

void affinity_add(struct affinity *affinity, const struct task_slice *slice)
{
	affinity->tasks = array_reserve(affinity->tasks, &affinity->count, slice->task + 1, sizeof(*affinity->tasks));
	struct affinity_task *task = &affinity->tasks[slice->task];
	bool moved = task->runs > 0 && task->last_cpu != slice->cpu;
	/* A slice cut by lost events or by the window's edge continues an earlier run, unless the task had left. */
	if (task->runs == 0 || moved || !slice->start_cut || !task->end_cut)
		task->runs++;
	task->changes += moved;
	task->cpu_time_ns += slice->end_ns - slice->start_ns;
	task->last_cpu = slice->cpu;
	task->end_cut = slice->end_cut;
	cpu_sets_add(&affinity->ran, slice->task, slice->cpu);
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

static enum status count_cut(void *context, const struct pass *pass, const struct task_slice *slice, struct error *err)
{
	(void)err;
	if (pass_wants_cpu(pass, slice->cpu))
		affinity_add(context, slice);
	return STATUS_OK;
}

static enum status count_slices(void *context, const struct pass *pass, const struct sched_event *event,
				const struct task_step *step, struct error *err)
{
	(void)event;
	for (unsigned int i = 0; step->changes & STEP_SLICE && i < step->slice_count; i++)
		count_cut(context, pass, &step->slices[i], err);
	return STATUS_OK;
}

struct pass_consumer affinity_consumer(struct affinity *affinity)
{
	return (struct pass_consumer){.context = affinity, .step = count_slices, .cut = count_cut};
}

static int by_changes(const void *a, const void *b)
{
	const struct affinity_line *one = a, *other = b;

	if (one->changes != other->changes)
		return one->changes > other->changes ? -1 : 1;
	if (one->cpu_time_ns != other->cpu_time_ns)
		return one->cpu_time_ns > other->cpu_time_ns ? -1 : 1;
	return one->sets_index < other->sets_index ? -1 : 1;
}

static void fill_lines(const struct affinity *affinity, const struct task_states *states, struct affinity_lines *lines)
{
	bool by_comm = lines->by_comm;

	for (uint32_t i = 0; i < affinity->count && i < states->task_count; i++) {
		const struct affinity_task *task = &affinity->tasks[i];
		const struct task *it = &states->tasks[i];
		if (task->runs == 0 || it->is_idle)
			continue;
		struct affinity_line *line = &lines->lines[by_comm ? it->comm : i];
		line->comm = it->comm;
		line->sets_index = by_comm ? it->comm : i;
		line->pid = it->pid;
		line->tasks++;
		line->runs += task->runs;
		line->changes += task->changes;
		line->cpu_time_ns += task->cpu_time_ns;
		if (by_comm)
			cpu_sets_merge(&lines->names, it->comm, &affinity->ran, i);
	}
}

void affinity_make_lines(const struct affinity *affinity, const struct task_states *states, bool by_comm,
			 struct affinity_lines *lines)
{
	uint32_t max = by_comm ? states->comms.count : states->task_count;

	*lines = (struct affinity_lines){.lines = xcalloc(max + 1ul, sizeof(*lines->lines)), .by_comm = by_comm};
	lines->sets = by_comm ? &lines->names : &affinity->ran;
	fill_lines(affinity, states, lines);
	for (uint32_t i = 0; i < max; i++)
		if (lines->lines[i].tasks)
			lines->lines[lines->count++] = lines->lines[i];
	qsort(lines->lines, lines->count, sizeof(*lines->lines), by_changes);
}

void affinity_free_lines(struct affinity_lines *lines)
{
	cpu_sets_free(&lines->names);
	free(lines->lines);
}
