/* SPDX-License-Identifier: MIT
 *
 * The rank-sum test of Wilcoxon, Mann and Whitney, two-sided: how likely two samples of one distribution lie at least
 * as far apart in rank as these. Equal values share their mean rank. */
#ifndef COMPARE_RANK_SUM_H
#define COMPARE_RANK_SUM_H

#include <stdbool.h>
#include <stddef.h>

/* Exact (every way to deal the ranks out) up to so many values in both; beyond that, the share of 9,999 random ways, by
 * splitmix64 from a fixed seed, the observed one counted too. */
#define RANK_SUM_EXACT 48

/* Both are sorted and have values. False if memory ran out. */
bool rank_sum_chance(const double *first, size_t first_count, const double *second, size_t second_count, double *p);

#endif
