/* SPDX-License-Identifier: MIT
 *
 * Sums of the runs of a directory by workload, as their metadata has them. */
#ifndef RUNS_RUN_TOTALS_H
#define RUNS_RUN_TOTALS_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

#define RUN_TOTALS_MAX 64

struct run_totals_row {
	char name[64]; /* escaped for one line of a terminal */
	unsigned int runs;
	uint64_t events, switches, voluntary, involuntary, lost;
};

/* The given names in their order, then other recordings by name. A zeroed struct is empty. */
struct run_totals {
	struct run_totals_row rows[RUN_TOTALS_MAX];
	size_t count, given;
};

/* Adds a row with 0 runs, before run_totals_read(). At most half of the rows are given; further names are ignored. */
void run_totals_add_name(struct run_totals *totals, const char *name);
/* Adds the runs of a directory. Runs without a name, with unreadable metadata, or above the maximum of rows are left
 * out. */
enum status run_totals_read(struct run_totals *totals, const char *directory, struct error *err);
/* Adds all numbers of row to sum. */
void run_totals_add_row(struct run_totals_row *sum, const struct run_totals_row *row);

#endif
