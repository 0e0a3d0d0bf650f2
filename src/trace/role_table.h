/* SPDX-License-Identifier: MIT
 *
 * Roles of the tasks of one run: names that are the same in another run and under another kernel, unlike PIDs.
 *
 * A role is the task's last name in the run and a number, "hackbench-recv#3". Tasks of the same name are numbered from
 * 1 in the order of their birth; those that existed before the trace come first, by PID. Bytes other than letters,
 * digits and ._:/+- become _. A kernel thread has the name of its class without a number: up to a slash or a colon,
 * without digits at the end ("kworker/0:1" is kworker). Idle tasks are "idle". Pure. */
#ifndef TRACE_ROLE_TABLE_H
#define TRACE_ROLE_TABLE_H

#include <stdbool.h>

#include "trace/task.h"

#define ROLE_SIZE 32 /* with the NUL */

struct role_table {
	char (*roles)[ROLE_SIZE]; /* by task number */
	uint32_t count;
	uint32_t first; /* number of the run's first task: not 0 if the pass has read other runs before */
};

/* Call it after states has processed the whole run. End with role_table_free(). */
void role_table_make(struct role_table *table, const struct task_states *states);
void role_table_free(struct role_table *table);

/* "?" for a task that is not in the table. */
const char *role_of(const struct role_table *table, uint32_t task);
/* True if the role matches the pattern (wildcards * and ?), with its number or without: "hackbench-recv",
 * "hackbench-*#1". */
bool role_matches(const char *role, const char *pattern);

#endif
