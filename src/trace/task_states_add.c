/* SPDX-License-Identifier: MIT */
#include "trace/task_states_add.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "trace/task_lookup.h"

static enum status no_memory(struct error *err)
{
	return error_system(err, ENOMEM, NULL, "cannot track so many tasks");
}

static bool add_names(struct comm_table *names, const struct comm_table *more, struct task_map *map)
{
	map->comms = calloc(more->count + 1, sizeof(*map->comms));
	for (uint32_t i = 0; map->comms && i < more->count; i++) {
		map->comms[i] = comm_table_number(names, &more->comms[i]);
		if (map->comms[i] == UINT32_MAX)
			return false;
	}
	return map->comms;
}

static enum status add_tasks(struct task_states *states, const struct task_states *more, const struct task_map *map,
			     struct error *err)
{
	if (task_states_reserve_tasks(states, more->task_count, err) != STATUS_OK)
		return STATUS_SYSTEM;
	for (uint32_t i = 0; i < more->task_count; i++) {
		struct task *task = &states->tasks[states->task_count++];
		*task = more->tasks[i];
		task->comm = map->comms[task->comm];
		task->run += map->run;
		task->next = task->previous = TASK_NONE;
		task->is_queued = false;
	}
	return STATUS_OK;
}

static enum status add_cpus(struct task_states *states, const struct task_states *more, const struct task_map *map,
			    struct error *err)
{
	enum status status = more->cpu_count ? task_states_reserve_cpu(states, more->cpu_count - 1, err) : STATUS_OK;

	for (uint32_t i = 0; i < more->cpu_count && status == STATUS_OK; i++) {
		struct task_cpu *cpu = &states->cpus[i];
		const struct task_cpu before = *cpu;
		*cpu = more->cpus[i];
		cpu->current = task_map_task(map, cpu->current);
		cpu->idle = task_map_task(map, cpu->idle);
		cpu->stopper = task_map_task(map, cpu->stopper);
		cpu->runnable_first = TASK_NONE;
		cpu->runnable = 0;
		cpu->observed_ns += before.observed_ns;
		for (size_t k = 0; k < CPU_ABSENCES; k++)
			cpu->observed_absent_ns[k] += before.observed_absent_ns[k];
	}
	return status;
}

static void add_faults(struct task_faults *faults, const struct task_faults *more)
{
	faults->switches_from_other += more->switches_from_other;
	faults->switches_missing += more->switches_missing;
	faults->on_two_cpus += more->on_two_cpus;
	faults->runs_without_wakeup += more->runs_without_wakeup;
	faults->acts_of_dead += more->acts_of_dead;
	faults->migrations_from_elsewhere += more->migrations_from_elsewhere;
	faults->losses += more->losses;
}

enum status task_states_add(struct task_states *states, const struct task_states *more, struct task_map *map,
			    struct error *err)
{
	*map = (struct task_map){.first_task = states->task_count, .run = states->has_begun ? states->run + 1 : 0};
	if (!more->has_begun)
		return STATUS_OK;
	if (!add_names(&states->comms, &more->comms, map))
		return no_memory(err);
	enum status status = add_tasks(states, more, map, err);
	if (status == STATUS_OK)
		status = add_cpus(states, more, map, err);
	add_faults(&states->faults, &more->faults);
	states->has_begun = true;
	states->has_events = more->has_events;
	states->run = map->run + more->run;
	states->seen_cpus = more->seen_cpus;
	states->all_start_late = more->all_start_late;
	states->first_ns = more->first_ns;
	states->last_ns = more->last_ns;
	states->window_ns = more->window_ns;
	return status;
}

void task_map_free(struct task_map *map)
{
	free(map->comms);
	*map = (struct task_map){0};
}
