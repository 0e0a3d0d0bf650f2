/* SPDX-License-Identifier: MIT */
#include "record/estimate.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"

/* The 97.5 % quantile of Student's t, to three decimals; freedom >= 1. From five degrees on, the expansion about the
 * normal distribution (Cornish and Fisher; Abramowitz and Stegun 26.7.5). */
static double student_t_975(size_t freedom)
{
	static const double few[] = {12.7062, 4.3027, 3.1824, 2.7764};
	const double z = 1.959963985;
	const double z2 = z * z;
	double n = (double)freedom;

	if (freedom <= 4)
		return few[freedom ? freedom - 1 : 0];
	double g1 = (z2 + 1) / 4;
	double g2 = ((5 * z2 + 16) * z2 + 3) / 96;
	double g3 = (((3 * z2 + 19) * z2 + 17) * z2 - 15) / 384;
	double g4 = ((((79 * z2 + 776) * z2 + 1482) * z2 - 1920) * z2 - 945) / 92160;
	return z * (1 + (g1 + (g2 + (g3 + g4 / n) / n) / n) / n);
}

struct estimate estimate_mean(const double *values, size_t count)
{
	struct estimate estimate = {NAN, NAN, NAN};
	double squares = 0;

	if (count == 0)
		return estimate;
	estimate.mean = 0;
	for (size_t i = 0; i < count; i++)
		estimate.mean += values[i] / (double)count;
	for (size_t i = 0; i < count; i++)
		squares += (values[i] - estimate.mean) * (values[i] - estimate.mean);
	if (count < 2)
		return estimate;
	double half = student_t_975(count - 1) * sqrt(squares / (double)(count - 1) / (double)count);
	estimate.low = estimate.mean - half;
	estimate.high = estimate.mean + half;
	return estimate;
}

struct estimate estimate_ratio(const double *ratios, size_t count)
{
	struct estimate estimate = {NAN, NAN, NAN};
	double *logs = xcalloc(count + 1, sizeof(*logs));

	for (size_t i = 0; i < count; i++)
		logs[i] = log(ratios[i]);
	if (count)
		estimate = estimate_mean(logs, count);
	free(logs);
	estimate.mean = exp(estimate.mean);
	estimate.low = exp(estimate.low);
	estimate.high = exp(estimate.high);
	return estimate;
}

static int ascending(const void *left, const void *right)
{
	double a = *(const double *)left;
	double b = *(const double *)right;

	return (a > b) - (a < b);
}

double median_of(double *values, size_t count)
{
	if (count == 0)
		return NAN;
	qsort(values, count, sizeof(*values), ascending);
	return (values[(count - 1) / 2] + values[count / 2]) / 2;
}
