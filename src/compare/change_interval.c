/* SPDX-License-Identifier: MIT */
#include "compare/change_interval.h"

#include <math.h>

/* The confidence of the limits of one median. It is a little above 95 %: interpolation assumes a smooth distribution,
 * and the coverage shall be 94 % or more in each simulated case. */
#define CONFIDENCE 0.955
/* Five values: the smallest and the largest have 93.75 %. Their distances from the median grow by the ratio of
 * Student's quantiles of both confidences with 4 degrees of freedom, 2.8803 / 2.5621. */
#define EXTENSION_OF_FIVE 1.1242
/* Rounding errors, relative to what is subtracted. */
#define ROUNDING 1e-12

struct limits {
	double median, low, high;
};

/* The probability that fewer than rank of count values are below their median. */
static double below_rank(size_t count, size_t rank)
{
	double n = (double)count;
	double sum = 0;

	for (size_t k = 0; k < rank; k++)
		sum += exp(lgamma(n + 1) - lgamma((double)k + 1) - lgamma(n - (double)k + 1) - n * log(2));
	return sum;
}

static double interpolate(double outer, double inner, double share)
{
	return outer + share * (inner - outer);
}

static struct limits limits_of(const double *sorted, size_t count)
{
	struct limits limits = {.median = interpolate(sorted[(count - 1) / 2], sorted[count / 2], 0.5)};
	double n = (double)count;
	size_t rank = 1;

	if (count <= CHANGE_INTERVAL_MIN) {
		limits.low = limits.median - EXTENSION_OF_FIVE * (limits.median - sorted[0]);
		limits.high = limits.median + EXTENSION_OF_FIVE * (sorted[count - 1] - limits.median);
		limits.low = limits.low < 0 && sorted[0] >= 0 ? 0 : limits.low;
		return limits;
	}
	double outside = below_rank(count, 1), next = below_rank(count, 2);
	while (2 * next <= 1 - CONFIDENCE && rank + 1 < count / 2) {
		outside = next;
		next = below_rank(count, ++rank + 1);
	}
	/* Hettmansperger and Sheather: not the linear share of the confidence, but nearly free of the distribution. */
	double share = ((1 - CONFIDENCE) / 2 - outside) / (next - outside);
	share = (n - (double)rank) * share / ((double)rank + (n - 2 * (double)rank) * share);
	limits.low = interpolate(sorted[rank - 1], sorted[rank], share);
	limits.high = interpolate(sorted[count - rank], sorted[count - rank - 1], share);
	return limits;
}

static double without_rounding(double value, double size)
{
	return fabs(value) <= ROUNDING * size ? 0 : value;
}

static void set_difference(const struct limits *first, const struct limits *second, struct difference *absolute)
{
	double low = hypot(second->median - second->low, first->high - first->median);
	double high = hypot(second->high - second->median, first->median - first->low);

	absolute->low = without_rounding(absolute->change - low, first->median + second->median);
	absolute->high = without_rounding(absolute->change + high, first->median + second->median);
}

/* The ratio is the root of (second - ratio x first)^2 = (distance of second)^2 + ratio^2 x (distance of first)^2.
 * down and up are distances from a median relative to it. */
static void set_ratio(const struct limits *first, const struct limits *second, struct difference *percent)
{
	double ratio = second->median / first->median;
	double down = (first->median - first->low) / first->median, up = (first->high - first->median) / first->median;
	double rest = 1 - down * down;

	if (ratio == 0) { /* the second median is 0 */
		percent->low = -100;
		percent->high = second->high > 0 ? 100 * (second->high / first->median / sqrt(rest)) - 100 : -100;
		return;
	}
	double second_down = (second->median - second->low) / second->median;
	double second_up = (second->high - second->median) / second->median;
	double second_rest = 1 - second_down * second_down;
	double root = hypot(second_down, up * sqrt(second_rest));
	percent->low = second_rest > 0 ? percent->change - 100 * ratio * (1 - second_rest / (1 + root)) : -100;
	root = hypot(down, second_up * sqrt(rest));
	percent->high = rest > 0 ? percent->change + 100 * ratio * (down * down + root) / rest : INFINITY;
	percent->low = without_rounding(percent->low, 100 + 100 * ratio);
	percent->high = without_rounding(percent->high, 100 + 100 * ratio);
}

struct change_interval change_interval(const double *first, size_t first_count, const double *second,
				       size_t second_count)
{
	const struct limits from = limits_of(first, first_count), to = limits_of(second, second_count);
	const double difference = to.median - from.median, percent = difference / from.median * 100;
	struct change_interval interval = {
	    .absolute = {difference, NAN, NAN},
	    .percent = {percent, NAN, NAN},
	    .has_percent = first[0] >= 0 && second[0] >= 0 && from.median > 0 && isfinite(percent),
	};

	if (first_count < CHANGE_INTERVAL_MIN || second_count < CHANGE_INTERVAL_MIN)
		return interval;
	set_difference(&from, &to, &interval.absolute);
	if (interval.has_percent)
		set_ratio(&from, &to, &interval.percent);
	return interval;
}
