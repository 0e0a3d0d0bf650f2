/* SPDX-License-Identifier: MIT
 *
 * Count, sum, min, max and percentiles of any number of values. All are exact for up to DISTRIBUTION_EXACT values,
 * which are kept (64 KiB). Beyond that, percentiles are rounded to four digits: values are counted by their first four
 * digits, in 40 KB for each power of ten that they span, however many values there are. */
#ifndef MEASURE_DISTRIBUTION_H
#define MEASURE_DISTRIBUTION_H

#include <stdint.h>

#define DISTRIBUTION_EXACT 8192

/* A zeroed struct is empty. */
struct distribution {
	uint64_t count, sum, min, max;
	/* Internal. */
	uint64_t *values; /* unordered, up to DISTRIBUTION_EXACT; then NULL */
	struct digit_counts *counts;
};

void distribution_add(struct distribution *distribution, uint64_t value);
/* Adds all values of other. */
void distribution_merge(struct distribution *distribution, const struct distribution *other);
/* The percentile of per_mille (500: median, 999: p99.9): the smallest value such that at least that share of values is
 * less than or equal to it. 0 without values. */
uint64_t distribution_percentile(const struct distribution *distribution, unsigned int per_mille);
/* The mean, rounded down; 0 without values. */
uint64_t distribution_mean(const struct distribution *distribution);
void distribution_free(struct distribution *distribution);

#endif
