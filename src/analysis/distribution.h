/* SPDX-License-Identifier: MIT
 *
 * Count, sum, least, most and percentiles of any number of values in little memory. Count, sum, least and most are
 * exact; so is everything up to DISTRIBUTION_EXACT values. Beyond that a percentile lies within 0.8 % of the value
 * that has that rank: each power of two is divided into 64 equal buckets, and the middle of one is given. */
#ifndef ANALYSIS_DISTRIBUTION_H
#define ANALYSIS_DISTRIBUTION_H

#include <stdbool.h>
#include <stdint.h>

#define DISTRIBUTION_EXACT 8

/* A zeroed struct is empty. */
struct distribution {
	uint64_t count, sum, min, max;
	uint64_t first[DISTRIBUTION_EXACT]; /* the values themselves, until there are more */
	uint32_t *buckets;                  /* those of [bucket_first, bucket_first + bucket_count); none counts further
					     * than UINT32_MAX */
	uint32_t bucket_first, bucket_count;
	bool failed; /* memory ran out: percentiles are of what was taken before */
};

void distribution_add(struct distribution *distribution, uint64_t value);
/* Adds all of other's values: the same as if each had been added. */
void distribution_merge(struct distribution *distribution, const struct distribution *other);
/* The value whose rank is the share of per_mille (500 the median, 999 p99.9): the smallest value such that at least
 * that share is not above it. 0 where there are none. */
uint64_t distribution_percentile(const struct distribution *distribution, unsigned int per_mille);
/* The mean, rounded down; 0 where there are none. */
uint64_t distribution_mean(const struct distribution *distribution);
/* How many values lie in [2^power, 2^(power+1)); the value 0 belongs to power 0. */
uint64_t distribution_octave(const struct distribution *distribution, unsigned int power);
void distribution_free(struct distribution *distribution);

#endif
