/* SPDX-License-Identifier: MIT
 *
 * The names of tasks of one workload, over all sets: what each did in each set. All kworkers are one name, and so are
 * the idle tasks of all CPUs. */
#ifndef REPORT_NAMES_H
#define REPORT_NAMES_H

#include "compare/comparison_rows.h"
#include "report/workload_accounts.h"

#define REPORT_SETS_MAX COMPARISON_SETS_MAX

struct report_name {
	struct sched_comm comm;
	bool is_idle, is_kernel;
	bool is_own;       /* of the workload's tasks; a name of such and of others is there twice */
	uint64_t total_ns; /* running, over all sets */
	struct name_account accounts[REPORT_SETS_MAX]; /* of each set */
};

struct report_names {
	struct report_name *names; /* the workload's first, then those that ran most */
	uint32_t count;
	uint32_t cpu_count; /* of all sets */
};

/* works: one for each set; NULL where that has not this workload. workload: the name. Of one that picknext does not
 * know, its own tasks are known by descent, or where works[]->is_told is false, all but the kernel's and picknext's.
 * False where memory runs out; to be freed all the same. */
bool report_names_make(struct report_names *names, const char *workload, struct report_work *const *works,
		       uint32_t set_count);
/* Of all the workload's names in this set, summed over its runs. */
uint64_t report_names_time(const struct report_names *names, uint32_t set, enum time_use use);
/* How many names come before this one, the idle tasks left out. */
uint32_t report_names_rank(const struct report_names *names, const struct sched_comm *comm);
/* The colour of the name of this rank; those behind the first share the last one, which is "others". */
#define REPORT_NAME_COLOURS 6u
unsigned int report_name_colour(uint32_t rank);
void report_names_free(struct report_names *names);

#endif
