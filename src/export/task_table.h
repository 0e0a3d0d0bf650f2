/* SPDX-License-Identifier: MIT
 *
 * All tasks of a trace, each with its last name. Memory is bounded: a trace of a guest can contain any number of
 * PIDs. Pure. */
#ifndef EXPORT_TASK_TABLE_H
#define EXPORT_TASK_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trace/stream.h"

#define TASK_TABLE_MAX ((size_t)1 << 18)

struct seen_task {
	int32_t pid; /* 0: free */
	struct sched_comm comm;
};

struct task_table {
	struct seen_task *slots;
	size_t size, count;
	uint64_t left_out; /* occurrences of tasks that did not fit */
};

/* The idle tasks (PID 0) are not added. A zeroed table is empty. */
void task_table_note(struct task_table *table, const struct sched_task *task);
/* Sorts the slots by PID, for a walk over them; no task can be added afterwards. */
void task_table_sort(struct task_table *table);
void task_table_free(struct task_table *table);

#endif
