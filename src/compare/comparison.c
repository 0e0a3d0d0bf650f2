/* SPDX-License-Identifier: MIT */
#include "compare/comparison.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "compare/change_interval.h"
#include "compare/rank_sum.h"

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

static enum comparison_verdict conclude(const struct comparison *comparison, const struct comparison_meaning *meaning)
{
	if (fmax(fabs(comparison->low), fabs(comparison->high)) <=
	    (comparison->is_percent ? meaning->margin_percent : 0))
		return VERDICT_EQUAL;
	if (comparison->is_within_floor)
		return VERDICT_NEGLIGIBLE;
	if ((comparison->low <= 0 && comparison->high >= 0) || comparison->is_negligible)
		return VERDICT_UNCLEAR;
	if (meaning->better == 0)
		return VERDICT_DIFFERENT;
	return (comparison->change > 0) == (meaning->better > 0) ? VERDICT_BETTER : VERDICT_WORSE;
}

static bool is_not_exercised(const struct comparison_sample *first, const struct comparison_sample *second)
{
	if (first->min != first->max || second->min != second->max || first->min != second->min)
		return false;
	return first->min == 0 || (first->count >= COMPARISON_RUNS_MIN && second->count >= COMPARISON_RUNS_MIN);
}

const struct comparison comparison_none = {
    .change = NAN, .low = NAN, .high = NAN, .absolute = {NAN, NAN, NAN}, .p = NAN};

struct comparison comparison_make(const struct comparison_sample *first, const struct comparison_sample *second,
				  const struct comparison_meaning *meaning)
{
	if (first->count == 0 || second->count == 0)
		return comparison_none;
	const struct change_interval interval =
	    change_interval(first->values, first->count, second->values, second->count);
	const struct difference *absolute = &interval.absolute;
	const struct difference *shown = interval.has_percent ? &interval.percent : absolute;
	struct comparison comparison = {
	    .verdict = VERDICT_TOO_FEW,
	    .is_percent = interval.has_percent,
	    .change = shown->change,
	    .low = shown->low,
	    .high = shown->high,
	    .absolute = *absolute,
	    .is_negligible = fabs(absolute->change) < meaning->floor,
	    .is_within_floor = fmax(fabs(absolute->low), fabs(absolute->high)) < meaning->floor,
	    .p = rank_sum_chance(first->values, first->count, second->values, second->count),
	};
	if (is_not_exercised(first, second))
		comparison.verdict = VERDICT_NOT_EXERCISED;
	else if (!isnan(shown->low))
		comparison.verdict = conclude(&comparison, meaning);
	return comparison;
}

size_t comparison_runs_needed(const struct comparison *comparison, size_t runs, double margin_percent)
{
	enum { RUNS_MAX = 10000 };
	const double size = fabs(comparison->change);
	const double width = fmax(comparison->change - comparison->low, comparison->high - comparison->change);
	/* The interval must become smaller than the larger of the two. */
	const double equal = comparison->is_percent ? margin_percent - size : 0;
	const double target = comparison->is_negligible ? equal : fmax(size, equal);
	const double needed = target > 0 ? ceil((double)runs * (width / target) * (width / target)) : INFINITY;

	if (comparison->verdict != VERDICT_UNCLEAR || !(needed <= RUNS_MAX))
		return 0;
	return needed > (double)runs ? (size_t)needed : runs + 1;
}

void comparison_find_significant(const double *p, size_t count, double rate, bool *significant)
{
	double *sorted = xcalloc(count + 1, sizeof(*sorted));
	size_t tests = 0;
	double limit = -1;

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
}

const char *comparison_verdict_text(enum comparison_verdict verdict)
{
	static const char *const texts[VERDICTS] = {"-",       "not affected", "not exercised", "needs ≥5 runs",
						    "unclear", "equal",        "negligible",    "better",
						    "worse",   "different"};

	return texts[verdict];
}

const char *comparison_verdict_mark(enum comparison_verdict verdict)
{
	static const char *const marks[VERDICTS] = {"", "", "", "", "~", "=", "≈", "✓", "✗", "≠"};

	return marks[verdict];
}
