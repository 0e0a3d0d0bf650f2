/* SPDX-License-Identifier: MIT
 *
 * The names of tasks of one workload, over all sets, with the account of each in each set. All kworkers are one name,
 * and so are the idle tasks of all CPUs. */
#ifndef REPORT_NAMES_H
#define REPORT_NAMES_H

#include "compare/comparison_rows.h"
#include "measure/run_account.h"
#include "trace/comm_table.h"

#define REPORT_SETS_MAX COMPARISON_SETS_MAX

struct report_name {
	struct sched_comm comm;
	bool is_idle, is_kernel;
	bool is_own;       /* of the workload's tasks; a name of both workload tasks and others is listed twice */
	uint64_t total_ns; /* running, over all sets */
	struct name_account accounts[REPORT_SETS_MAX]; /* of each set */
};

struct report_names {
	struct report_name *names; /* after report_names_finish(): the workload's first, then by running time */
	uint32_t count;
	size_t capacity;
	uint32_t cpu_count;         /* of all sets */
	struct name_lookup *lookup; /* internal */
};

/* The name of a task as it is shown: that of all kworkers is one. */
struct sched_comm report_shown_comm(const struct sched_comm *comm);
/* Adds the names of one run's account, whose numbers are those of comms. The workload's own tasks are selected by
 * task_names; if that is NULL, by descent if has_roots; otherwise all tasks except the kernel's and picknext's. A
 * zeroed struct is empty. */
void report_names_add(struct report_names *names, uint32_t set, const struct run_account *account,
		      const struct comm_table *comms, bool has_roots, const char *task_names);
/* After the last run. */
void report_names_finish(struct report_names *names);
/* Sum of the workload's names in this set, over its runs. */
uint64_t report_names_time(const struct report_names *names, uint32_t set, enum time_use use);
/* The number of names before this one, without the idle tasks. */
uint32_t report_names_rank(const struct report_names *names, const struct sched_comm *comm);
/* The colour of the name of this rank; after the first ranks all share the last colour, "others". */
#define REPORT_NAME_COLOURS 6u
unsigned int report_name_colour(uint32_t rank);
void report_names_free(struct report_names *names);

#endif
