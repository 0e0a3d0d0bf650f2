/* SPDX-License-Identifier: MIT
 *
 * Every task that was met, with the name that it had last. Memory is bounded: a trace of a guest can name any number
 * of PIDs. Pure. */
#ifndef EXPORT_TASK_TABLE_H
#define EXPORT_TASK_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sched/stream.h"

#define TASK_TABLE_MAX ((size_t)1 << 18)

struct seen_task {
	int32_t pid; /* 0: free */
	struct sched_comm comm;
};

struct task_table {
	struct seen_task *slots;
	size_t size, count;
	uint64_t left_out; /* sightings of tasks for which there was no room */
};

/* The idle tasks, PID 0, are not noted. A zeroed table is empty. False if memory ran out. */
bool task_table_note(struct task_table *table, const struct sched_task *task);
/* Orders the slots by PID, for a walk over them; nothing can be noted any more. */
void task_table_sort(struct task_table *table);
void task_table_free(struct task_table *table);

#endif
