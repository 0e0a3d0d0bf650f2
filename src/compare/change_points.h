/* SPDX-License-Identifier: MIT
 *
 * The places in a series of groups at which the distribution of the values changes: E-divisive (Matteson and James, "A
 * nonparametric approach for multiple change point analysis of multivariate data", Journal of the American Statistical
 * Association, 2014), with exponent 1. Clusters are divided one after the other, at the place where the energy
 * statistic is largest, while a permutation test within the clusters stays below the level. Changes are only between
 * groups: all runs of a commit belong together. The permutations are drawn by a fixed seed. Pure. */
#ifndef COMPARE_CHANGE_POINTS_H
#define COMPARE_CHANGE_POINTS_H

#include <stddef.h>

struct change_point {
	size_t group; /* the first one after the change */
	double p;     /* of the permutation test */
};

/* The values of group g are values[starts[g]] to values[starts[g + 1] - 1]. Fills points, of which groups fit, in
 * ascending order, and returns their number. level: a division must have a smaller p; it also decides how many
 * permutations are drawn. */
size_t change_points_find(const double *values, const size_t *starts, size_t groups, double level,
			  struct change_point *points);

#endif
