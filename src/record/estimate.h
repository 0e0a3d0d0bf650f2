/* SPDX-License-Identifier: MIT
 *
 * Means of a few independent measurements, with confidence intervals from Student's t distribution. */
#ifndef RECORD_ESTIMATE_H
#define RECORD_ESTIMATE_H

#include <stddef.h>

/* low and high enclose the true mean with 95 % confidence; with fewer than two values they are NaN. */
struct estimate {
	double mean, low, high;
};

/* The arithmetic mean. */
struct estimate estimate_mean(const double *values, size_t count);
/* The geometric mean of positive ratios, with the interval of their logarithms, so that a ratio and its reciprocal
 * weigh the same. */
struct estimate estimate_ratio(const double *ratios, size_t count);
/* Sorts the values; returns the middle one, or the mean of the middle two. */
double median_of(double *values, size_t count);

#endif
