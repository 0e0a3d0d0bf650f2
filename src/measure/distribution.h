/* SPDX-License-Identifier: MIT
 *
 * Count, sum, min, max and percentiles of any number of values in little memory. Count, sum, min and max are exact, and
 * so are percentiles of up to DISTRIBUTION_EXACT values. Beyond that a percentile is within 0.8 % of the exact value:
 * each power of two is divided into 64 equal buckets, and the middle of the bucket is returned. */
#ifndef MEASURE_DISTRIBUTION_H
#define MEASURE_DISTRIBUTION_H

#include <stdbool.h>
#include <stdint.h>

#define DISTRIBUTION_EXACT 8

/* A zeroed struct is empty. */
struct distribution {
	uint64_t count, sum, min, max;
	uint64_t first[DISTRIBUTION_EXACT]; /* the values, as long as they fit */
	uint32_t *buckets;                  /* those of [bucket_first, bucket_first + bucket_count); none counts further
					     * than UINT32_MAX */
	uint32_t bucket_first, bucket_count;
};

void distribution_add(struct distribution *distribution, uint64_t value);
/* Adds all values of other. */
void distribution_merge(struct distribution *distribution, const struct distribution *other);
/* The percentile of per_mille (500: median, 999: p99.9): the smallest value such that at least that share of values is
 * less than or equal to it. 0 without values. */
uint64_t distribution_percentile(const struct distribution *distribution, unsigned int per_mille);
/* The mean, rounded down; 0 without values. */
uint64_t distribution_mean(const struct distribution *distribution);
/* The number of values in [2^power, 2^(power+1)); the value 0 belongs to power 0. */
uint64_t distribution_octave(const struct distribution *distribution, unsigned int power);
void distribution_free(struct distribution *distribution);

#endif
