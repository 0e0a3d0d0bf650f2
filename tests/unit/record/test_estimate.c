/* SPDX-License-Identifier: MIT
 *
 * Means and their intervals, against values calculated by hand and from printed tables of Student's t. */
#include <math.h>

#include "record/estimate.h"
#include "support/unit.h"

static void assert_near(double value, double expected, double within)
{
	if (!(fabs(value - expected) <= within))
		fail_msg("%.9f is not %.9f", value, expected);
}

/* From the interval of values 1, -1, 1, -1, and a 0 if their number is odd. */
static double quantile(size_t freedom)
{
	size_t count = freedom + 1;
	double *values = calloc(count, sizeof(*values));
	size_t pairs = count / 2;

	assert_non_null(values);
	for (size_t i = 0; i < pairs; i++) {
		values[2 * i] = 1;
		values[2 * i + 1] = -1;
	}
	struct estimate estimate = estimate_mean(values, count);
	free(values);
	return estimate.high / sqrt(2 * (double)pairs / (double)freedom / (double)count);
}

TEST(quantiles_are_those_of_the_tables)
{
	static const struct {
		size_t freedom;
		double t;
	} table[] = {{1, 12.706}, {2, 4.303},  {3, 3.182},  {4, 2.776},  {5, 2.571},   {6, 2.447},
		     {9, 2.262},  {10, 2.228}, {19, 2.093}, {30, 2.042}, {120, 1.980}, {1000000, 1.960}};

	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++)
		assert_near(quantile(table[i].freedom), table[i].t, 0.0011);
}

/* 10, 12, 14, 20: mean 14, squares 16 + 4 + 0 + 36 = 56, variance 56 / 3, standard error sqrt(56 / 12) = 2.160247;
 * times 3.1824 (three degrees of freedom) = 6.874770. */
TEST(mean_and_interval)
{
	const double values[] = {10, 12, 14, 20};
	struct estimate estimate = estimate_mean(values, 4);

	assert_near(estimate.mean, 14, 1e-12);
	assert_near(estimate.low, 14 - 6.87477, 1e-4);
	assert_near(estimate.high, 14 + 6.87477, 1e-4);
}

/* 0.5 and 2 have a geometric mean of 1. Their logarithms, -0.693147 and 0.693147, have a standard error of
 * 0.693147; times 12.7062 = 8.807268, so the interval goes from 1 / 6683 to 6683. */
TEST(ratios_are_symmetric)
{
	const double ratios[] = {0.5, 2};
	struct estimate estimate = estimate_ratio(ratios, 2);

	assert_near(estimate.mean, 1, 1e-12);
	assert_near(estimate.low * estimate.high, 1, 1e-9);
	assert_near(estimate.high, exp(12.7062 * log(2)), 1e-6);
}

/* 0.90, 0.92, 0.94: logarithms -0.1053605, -0.0833816, -0.0618754, mean -0.0835392, deviations -0.0218213, 0.0001576,
 * 0.0216638; variance 0.00094552 / 2 = 0.00047276, standard error 0.01255; times 4.3027 = 0.0540. */
TEST(ratios_near_one)
{
	const double ratios[] = {0.90, 0.92, 0.94};
	struct estimate estimate = estimate_ratio(ratios, 3);

	assert_near(estimate.mean, 0.919855, 1e-6);
	assert_near(estimate.low, 0.919855 * exp(-0.054014), 1e-4);
	assert_near(estimate.high, 0.919855 * exp(0.054014), 1e-4);
}

/* The geometric mean of one ratio is that ratio, through logarithm and exponential. */
TEST(any_ratio_comes_back)
{
	for (double ratio = 1e-6; ratio < 1e6; ratio *= 1.37) {
		struct estimate estimate = estimate_ratio(&ratio, 1);
		assert_near(estimate.mean / ratio, 1, 1e-12);
		assert_true(isnan(estimate.low));
		assert_true(isnan(estimate.high));
	}
}

TEST(equal_values_have_no_width)
{
	const double ratios[] = {0.97, 0.97, 0.97, 0.97};
	struct estimate estimate = estimate_ratio(ratios, 4);

	assert_near(estimate.low, 0.97, 1e-12);
	assert_near(estimate.high, 0.97, 1e-12);
	assert_true(isnan(estimate_mean(ratios, 0).mean));
	assert_true(isnan(estimate_ratio(ratios, 0).mean));
}

TEST(medians)
{
	double odd[] = {5, 1, 3};
	double even[] = {4, 1, 3, 2};

	assert_near(median_of(odd, 3), 3, 0);
	assert_near(median_of(even, 4), 2.5, 0);
	assert_true(isnan(median_of(odd, 0)));
}
