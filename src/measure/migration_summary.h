/* SPDX-License-Identifier: MIT
 *
 * Migrations counted by cause, by task and by pair of CPUs. Pure. */
#ifndef MEASURE_MIGRATION_SUMMARY_H
#define MEASURE_MIGRATION_SUMMARY_H

#include "measure/migration_reader.h"

/* Pairs with further CPUs are counted only in the totals. */
enum { MIGRATION_PAIR_CPUS_MAX = 1024 };

struct migrating_task {
	uint32_t task;
	uint64_t moves, causes[MIGRATION_CAUSES], pulls[PULL_KINDS];
};

struct migration_summary {
	uint64_t causes[MIGRATION_CAUSES], exact[MIGRATION_CAUSES];
	uint64_t pulls[PULL_KINDS], exact_pulls[PULL_KINDS];
	uint64_t all;
	struct migrating_task *tasks; /* by number */
	uint32_t task_capacity;
	uint64_t *pairs; /* pair_cpus * pair_cpus */
	uint32_t pair_cpus;
};

struct migration_pair {
	uint64_t count;
	uint32_t from, to;
};

/* A zeroed struct is empty. The consumer that fills it in a pass: */
struct migration_consumer migration_summary_consumer(struct migration_summary *summary);
/* Sorts summary->tasks by number of migrations, descending. Nothing can be added afterwards. */
void migration_summary_sort(struct migration_summary *summary);
/* The pairs with migrations, by number, descending; free() the result. */
struct migration_pair *migration_summary_pairs(const struct migration_summary *summary, size_t *count);
void migration_summary_free(struct migration_summary *summary);

#endif
