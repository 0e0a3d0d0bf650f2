/* SPDX-License-Identifier: MIT
 *
 * Sets of runs in the order of their kernels, such as one for each commit: each metric of each workload as a series,
 * and the sets at which it changed (compare/change_points.h). */
#ifndef COMPARE_HISTORY_H
#define COMPARE_HISTORY_H

#include "base/buffer.h"
#include "compare/comparison_rows.h"

#define HISTORY_SETS_MIN 3
/* The chance of a false change in all series together, at most: each has its share (Bonferroni). */
#define HISTORY_ERROR_RATE 0.05

struct run_sets;

struct history_change {
	size_t set;                /* the first one after it */
	double p;                  /* of the permutation test */
	struct comparison against; /* the runs after it, up to the next change, against those before it */
};

struct history_series {
	const char *workload;
	const struct metric *metric;
	struct comparison_sample *samples; /* of each set */
	struct history_change *changes;    /* ascending */
	size_t change_count;
};

struct history {
	const struct run_sets *sets;
	struct history_series *series; /* by workload, then in the order of sets->metrics; those with a value */
	size_t series_count;
	size_t tested; /* of the series: those whose values are not all the same */
};

/* sets must outlive it. Changes within the margin, or the floor of the metric, are left out. */
void history_make(const struct run_sets *sets, const struct comparison_choice *choice, struct history *history);
void history_free(struct history *history);

/* The median of all runs of the sets between the changes around this one. NaN without runs. */
double history_level(const struct history *history, const struct history_series *series, size_t set);

#endif
