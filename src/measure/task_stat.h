/* SPDX-License-Identifier: MIT
 *
 * CPU time, switches, slices, wakeups and migrations per task, name or CPU, and the busy time of each CPU. Pure. */
#ifndef MEASURE_TASK_STAT_H
#define MEASURE_TASK_STAT_H

#include "measure/group_by.h"
#include "measure/latency.h"
#include "measure/migration_reader.h"

/* The account of a task, a name or a CPU. */
struct stat_account {
	uint64_t cpu_ns;
	uint64_t either_ns;                      /* time of this task or another one: struct task_missing_switch */
	uint64_t starts_missing;                 /* slices whose start is such a switch */
	uint64_t voluntary, runnable, preempted; /* switches out */
	uint64_t wakeups, spurious, migrations;
	uint64_t pulls[PULL_KINDS], active_balances; /* of the migrations */
	struct distribution slices;                  /* complete slices: neither end cut */
	struct wait_account waits[WAIT_KINDS];       /* allocated only if has_waits */
};

struct stat_cpu {
	uint64_t switches, idle_ns, busy_ns;
};

struct task_stat {
	struct groups groups;
	struct migration_reader migrations;
	bool has_waits;
	struct stat_cpu *cpus;
	uint32_t cpu_count;
	uint64_t *run_ns; /* time of each trace, by its number */
	uint32_t run_count;
};

/* has_waits: also fill waits. */
void task_stat_begin(struct task_stat *stat, const struct group_options *options, bool has_waits);
/* The consumer that fills it in a pass; *stat must not move. */
struct pass_consumer task_stat_consumer(struct task_stat *stat);
/* The time of which the CPU time of a group is a part: of its trace, or of all traces if it is of several. */
uint64_t task_stat_duration(const struct task_stat *stat, const struct pass *pass, uint32_t key);
void task_stat_free(struct task_stat *stat);

#endif
