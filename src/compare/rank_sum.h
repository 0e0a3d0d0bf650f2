/* SPDX-License-Identifier: MIT
 *
 * The rank-sum test of Wilcoxon, Mann and Whitney, two-sided: the probability that two samples of one distribution
 * differ in rank by at least as much as these. Equal values share their mean rank. */
#ifndef COMPARE_RANK_SUM_H
#define COMPARE_RANK_SUM_H

#include <stddef.h>

/* Max number of values in both samples for the exact test (all assignments of ranks). Larger samples use the share
 * among 9,999 random assignments, by splitmix64 from a fixed seed, and the observed assignment. */
#define RANK_SUM_EXACT 48

/* The p-value. Both samples are sorted and not empty. */
double rank_sum_chance(const double *first, size_t first_count, const double *second, size_t second_count);

/* The smallest p-value that samples of these sizes can have. */
double rank_sum_smallest(size_t first_count, size_t second_count);

#endif
