/* SPDX-License-Identifier: MIT
 *
 * One test for all metrics of a workload: the step-down maxT procedure of Westfall and Young (Resampling-Based Multiple
 * Testing, 1993). Under the null hypothesis the runs of both sets are exchangeable, so that each way to divide all runs
 * into two sets of these sizes is as likely as the observed one. The statistic is the absolute correlation of the
 * metric with the set. The p-value of a metric is the share of the ways in which one of the metrics that are not more
 * extreme reaches its statistic: all metrics of a run move together, so dependent metrics cost nothing, and one metric
 * whose sets are far apart is significant among any number of others.
 *
 * Runs with the same seed are not used as pairs. They are equal up to the first decision that differs and independent
 * after it; a test of pairs (flipping signs) has 2^n ways and a smallest p-value of 2/64 with six pairs, where dividing
 * the runs has 924 ways and 2/924. Pairs that resemble each other make this test conservative, not wrong. Pure. */
#ifndef COMPARE_FAMILY_TEST_H
#define COMPARE_FAMILY_TEST_H

#include <stddef.h>

/* All ways up to this number are counted, else so many random ones less one (splitmix64 from a fixed seed), and the
 * observed one. 8 against 8 runs have 12,870 ways. */
#define FAMILY_WAYS_MAX 20000

struct family_metric {
	const double *first, *second; /* the value of each run; NaN: unknown */
	double scale;                 /* smaller differences mean nothing: values count as log(1 + |value| / scale),
				       * with their sign */
	double p;                     /* the result; 1 if all values are the same */
};

/* Sets p of each metric. Each side has one run or more. */
void family_test(struct family_metric *metrics, size_t count, size_t first_runs, size_t second_runs);

/* The smallest p-value that a family with these numbers of runs can have. */
double family_smallest(size_t first_runs, size_t second_runs);

#endif
