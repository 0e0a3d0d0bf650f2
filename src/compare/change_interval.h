/* SPDX-License-Identifier: MIT
 *
 * The change from the median of one sample to that of another, with its 95 % interval.
 *
 * Each median has limits of its own that hold for any distribution: order statistics, whose confidence is binomial,
 * interpolated (Hettmansperger and Sheather, 1986). The limits of the change come from the four limits by the method
 * of variance estimates recovery (MOVER): of the difference (Zou and Donner, 2008), and of the ratio (Donner and Zou,
 * 2012). Nothing is drawn at random, and samples need neither the same spread nor the same shape. Measured coverage:
 * ci/README.md. Pure. */
#ifndef COMPARE_CHANGE_INTERVAL_H
#define COMPARE_CHANGE_INTERVAL_H

#include <stdbool.h>
#include <stddef.h>

/* With four values no order statistics have enough confidence: that of the smallest and the largest is 87.5 %. */
#define CHANGE_INTERVAL_MIN 5

struct difference {
	double change, low, high; /* low and high are NaN with fewer than CHANGE_INTERVAL_MIN values on a side */
};

struct change_interval {
	struct difference absolute; /* in the values' unit */
	struct difference percent;  /* of the first median; high is infinite if that may be 0 */
	bool has_percent; /* false: the first median is 0, or too small for a percentage; or a value is below 0 */
};

/* Values are finite and ascending; each side has one or more. */
struct change_interval change_interval(const double *first, size_t first_count, const double *second,
				       size_t second_count);

#endif
