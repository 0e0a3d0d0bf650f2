/* SPDX-License-Identifier: MIT */
#include "compare/family_test.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/splitmix.h"
#include "compare/rank_sum.h"

/* Rounding errors: ways with the same statistic are equal. */
#define ROUNDING 1e-9

struct family {
	size_t first_runs, runs, count;
	double *scores;     /* of metric by metric, of each run: mean 0 and a sum of squares of 1; NaN: unknown */
	bool *has_unknown;  /* by metric */
	size_t *order;      /* metrics, from the most extreme on */
	double *observed;   /* statistic of each metric */
	uint64_t *extremes; /* ways in which the metric, or one after it in order, reaches its statistic */
	size_t *chosen;     /* the runs of the first set in the present way, ascending */
	uint64_t ways;
};

static void make_scores(const struct family *family, const struct family_metric *metric, double *scores, bool *unknown)
{
	double sum = 0, squares = 0;
	size_t known = 0;

	for (size_t i = 0; i < family->runs; i++) {
		const double value = i < family->first_runs ? metric->first[i] : metric->second[i - family->first_runs];
		scores[i] = copysign(log1p(fabs(value) / metric->scale), value);
		*unknown |= isnan(value);
		if (isnan(value))
			continue;
		sum += scores[i];
		known++;
	}
	for (size_t i = 0; i < family->runs; i++) {
		scores[i] -= sum / (double)known;
		squares += isnan(scores[i]) ? 0 : scores[i] * scores[i];
	}
	for (size_t i = 0; i < family->runs; i++)
		scores[i] = squares > ROUNDING * ROUNDING ? scores[i] / sqrt(squares) : 0;
}

/* The absolute correlation of the scores with the chosen set. */
static double statistic(const struct family *family, size_t metric)
{
	const double *scores = family->scores + metric * family->runs;
	double sum = 0, ours = (double)family->first_runs, all = (double)family->runs;

	if (!family->has_unknown[metric]) {
		for (size_t i = 0; i < family->first_runs; i++)
			sum += scores[family->chosen[i]];
		return fabs(sum) * sqrt(all / (ours * (all - ours)));
	}
	ours = all = 0;
	for (size_t i = 0; i < family->runs; i++)
		all += isnan(scores[i]) ? 0 : 1;
	for (size_t i = 0; i < family->first_runs; i++) {
		const double score = scores[family->chosen[i]];
		sum += isnan(score) ? 0 : score;
		ours += isnan(score) ? 0 : 1;
	}
	return ours > 0 && ours < all ? fabs(sum) * sqrt(all / (ours * (all - ours))) : 0;
}

static void count_way(struct family *family)
{
	double max = 0;

	family->ways++;
	for (size_t i = family->count; i-- > 0;) {
		const size_t metric = family->order[i];
		max = fmax(max, statistic(family, metric));
		family->extremes[metric] += max >= family->observed[metric] - ROUNDING;
	}
}

static bool next_way(const struct family *family)
{
	size_t *chosen = family->chosen, at = family->first_runs;

	while (at > 0 && chosen[at - 1] == family->runs - family->first_runs + at - 1)
		at--;
	if (at == 0)
		return false;
	chosen[at - 1]++;
	for (; at < family->first_runs; at++)
		chosen[at] = chosen[at - 1] + 1;
	return true;
}

static void count_random_ways(struct family *family)
{
	size_t *runs = xcalloc(family->runs, sizeof(*runs));
	uint64_t state = 1;

	for (size_t i = 0; i < family->runs; i++)
		runs[i] = i;
	for (size_t way = 1; way < FAMILY_WAYS_MAX; way++) {
		for (size_t i = 0; i < family->first_runs; i++) {
			const size_t other = i + splitmix_below(&state, family->runs - i);
			const size_t run = runs[other];
			runs[other] = runs[i];
			family->chosen[i] = runs[i] = run;
		}
		count_way(family);
	}
	free(runs);
}

static double ways_of(size_t first_runs, size_t second_runs)
{
	const double smallest = rank_sum_smallest(first_runs, second_runs);

	return smallest < 1 ? 2 / smallest : 1;
}

static void count_ways(struct family *family)
{
	if (ways_of(family->first_runs, family->runs - family->first_runs) > FAMILY_WAYS_MAX) {
		count_way(family);
		count_random_ways(family);
		return;
	}
	do
		count_way(family);
	while (next_way(family));
}

static void sort_metrics(const struct family *family)
{
	for (size_t i = 0; i < family->count; i++) {
		size_t at = i;
		for (; at > 0 && family->observed[family->order[at - 1]] < family->observed[i]; at--)
			family->order[at] = family->order[at - 1];
		family->order[at] = i;
	}
}

static void set_results(const struct family *family, struct family_metric *metrics)
{
	double p = 0;

	for (size_t i = 0; i < family->count; i++) {
		const size_t metric = family->order[i];
		p = fmax(p, (double)family->extremes[metric] / (double)family->ways);
		metrics[metric].p = p;
	}
}

void family_test(struct family_metric *metrics, size_t count, size_t first_runs, size_t second_runs)
{
	const size_t runs = first_runs + second_runs;
	struct family family = {.first_runs = first_runs,
				.runs = runs,
				.count = count,
				.scores = xcalloc(count * runs + 1, sizeof(double)),
				.has_unknown = xcalloc(count + 1, sizeof(bool)),
				.order = xcalloc(count + 1, sizeof(size_t)),
				.observed = xcalloc(count + 1, sizeof(double)),
				.extremes = xcalloc(count + 1, sizeof(uint64_t)),
				.chosen = xcalloc(first_runs, sizeof(size_t))};

	for (size_t i = 0; i < first_runs; i++)
		family.chosen[i] = i;
	for (size_t i = 0; i < count; i++) {
		make_scores(&family, &metrics[i], family.scores + i * runs, &family.has_unknown[i]);
		family.observed[i] = statistic(&family, i);
	}
	sort_metrics(&family);
	count_ways(&family);
	set_results(&family, metrics);
	free(family.scores);
	free(family.has_unknown);
	free(family.order);
	free(family.observed);
	free(family.extremes);
	free(family.chosen);
}

double family_smallest(size_t first_runs, size_t second_runs)
{
	const double ways = ways_of(first_runs, second_runs);

	return ways > FAMILY_WAYS_MAX ? 1.0 / FAMILY_WAYS_MAX : rank_sum_smallest(first_runs, second_runs);
}
