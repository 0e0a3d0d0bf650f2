/* SPDX-License-Identifier: MIT */
#include "compare/comparison.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "compare/rank_sum.h"
#include "compare/splitmix.h"

static int ascending(const void *left, const void *right)
{
	double a = *(const double *)left;
	double b = *(const double *)right;

	return (a > b) - (a < b);
}

/* The quantile at share, interpolated linearly between sorted values (Hyndman and Fan's definition 7). */
static double quantile(const double *sorted, size_t count, double share)
{
	double place = share * (double)(count - 1);
	size_t below = (size_t)place;
	size_t above = below + 1 < count ? below + 1 : below;

	return sorted[below] + (place - (double)below) * (sorted[above] - sorted[below]);
}

struct comparison_sample comparison_sample(double *values, size_t count)
{
	struct comparison_sample sample = {values, 0, NAN, NAN, NAN, NAN, NAN};

	for (size_t i = 0; i < count; i++) {
		double value = values[i];
		if (isnan(value))
			continue;
		values[i] = values[sample.count];
		values[sample.count++] = value;
	}
	if (sample.count == 0)
		return sample;
	qsort(values, sample.count, sizeof(*values), ascending);
	sample.median = quantile(values, sample.count, 0.5);
	sample.min = values[0];
	sample.max = values[sample.count - 1];
	if (sample.count < 2)
		return sample;
	sample.spread = (quantile(values, sample.count, 0.75) - quantile(values, sample.count, 0.25)) / 2;
	if (sample.median > 0)
		sample.spread_percent = sample.spread / sample.median * 100;
	return sample;
}

/* The median of one bootstrap resample: as many draws from the sample as it has runs. drawn has room to count the
 * draws of each run. */
static double resampled_median(const struct comparison_sample *sample, uint32_t *drawn, uint64_t *state)
{
	size_t count = sample->count;
	size_t seen = 0, at = 0;

	for (size_t i = 0; i < count; i++)
		drawn[i] = 0;
	for (size_t i = 0; i < count; i++)
		drawn[splitmix_below(state, count)]++;
	while (seen + drawn[at] <= (count - 1) / 2)
		seen += drawn[at++];
	double low = sample->values[at];
	while (seen + drawn[at] <= count / 2)
		seen += drawn[at++];
	return (low + sample->values[at]) / 2;
}

static double change_of(double first, double second, bool is_percent)
{
	if (!is_percent)
		return second - first;
	if (first > 0)
		return (second - first) / first * 100;
	return second > 0 ? INFINITY : 0;
}

static bool bootstrap(const struct comparison_sample *first, const struct comparison_sample *second,
		      struct comparison *comparison)
{
	size_t max = first->count > second->count ? first->count : second->count;
	double *changes = malloc(COMPARISON_RESAMPLES * sizeof(*changes) + max * sizeof(uint32_t));
	uint64_t state = 1;

	if (!changes)
		return false;
	uint32_t *drawn = (uint32_t *)(void *)(changes + COMPARISON_RESAMPLES);
	for (size_t i = 0; i < COMPARISON_RESAMPLES; i++) {
		double from = resampled_median(first, drawn, &state);
		changes[i] = change_of(from, resampled_median(second, drawn, &state), comparison->is_percent);
	}
	qsort(changes, COMPARISON_RESAMPLES, sizeof(*changes), ascending);
	const size_t outside = (COMPARISON_RESAMPLES + 1) / 40;
	comparison->low = changes[outside - 1];
	comparison->high = changes[COMPARISON_RESAMPLES - outside];
	free(changes);
	return true;
}

static enum comparison_verdict conclude(const struct comparison *comparison, int better, double change_min_percent)
{
	bool is_shown = comparison->low > 0 || comparison->high < 0;

	if (!is_shown || (comparison->is_percent && fabs(comparison->change) < change_min_percent))
		return VERDICT_SAME;
	if (better == 0)
		return VERDICT_DIFFERENT;
	return (comparison->change > 0) == (better > 0) ? VERDICT_BETTER : VERDICT_WORSE;
}

bool comparison_make(const struct comparison_sample *first, const struct comparison_sample *second, int better,
		     double change_min_percent, struct comparison *comparison)
{
	*comparison = (struct comparison){.change = NAN, .low = NAN, .high = NAN, .p = NAN};
	if (first->count == 0 || second->count == 0)
		return true;
	comparison->is_percent = first->median > 0;
	comparison->change = change_of(first->median, second->median, comparison->is_percent);
	comparison->verdict = VERDICT_TOO_FEW;
	if (!rank_sum_chance(first->values, first->count, second->values, second->count, &comparison->p))
		return false;
	if (first->count < COMPARISON_RUNS_MIN || second->count < COMPARISON_RUNS_MIN)
		return true;
	if (!bootstrap(first, second, comparison))
		return false;
	comparison->verdict = conclude(comparison, better, change_min_percent);
	return true;
}

bool comparison_find_significant(const double *p, size_t count, double rate, bool *significant)
{
	double *sorted = calloc(count + 1, sizeof(*sorted));
	size_t tests = 0;
	double limit = -1;

	if (!sorted)
		return false;
	for (size_t i = 0; i < count; i++)
		if (!isnan(p[i]))
			sorted[tests++] = p[i];
	qsort(sorted, tests, sizeof(*sorted), ascending);
	for (size_t i = 0; i < tests; i++)
		if (sorted[i] <= rate * (double)(i + 1) / (double)tests)
			limit = sorted[i];
	for (size_t i = 0; i < count; i++)
		significant[i] = p[i] <= limit;
	free(sorted);
	return true;
}

const char *comparison_verdict_text(enum comparison_verdict verdict)
{
	static const char *const texts[VERDICTS] = {"-", "too few runs", "same", "better", "worse", "different"};

	return texts[verdict];
}
