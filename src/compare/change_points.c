/* SPDX-License-Identifier: MIT */
#include "compare/change_points.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "compare/splitmix.h"

#define PERMUTATIONS_MIN 999
#define PERMUTATIONS_MAX 19999
#define SEED             UINT64_C(2014)

struct division {
	double statistic; /* below 0: there is none */
	size_t group;
};

struct search {
	const size_t *starts;
	size_t groups;
	double *values; /* in their order now: permuted ones too */
	double *sums;   /* of distances between all values of the groups below row and those below column */
	bool *begins;   /* whether a cluster begins at the group; one more at the end */
};

/* --- Sums of distances --- */

static double *sum_at(const struct search *search, size_t row, size_t column)
{
	return &search->sums[row * (search->groups + 1) + column];
}

static double distance_of_groups(const struct search *search, size_t one, size_t other)
{
	const size_t *starts = search->starts;
	double sum = 0;

	for (size_t i = starts[one]; i < starts[one + 1]; i++)
		for (size_t k = starts[other]; k < starts[other + 1]; k++)
			sum += fabs(search->values[i] - search->values[k]);
	return sum;
}

static void fill_sums(const struct search *search)
{
	for (size_t i = 0; i <= search->groups; i++)
		*sum_at(search, 0, i) = *sum_at(search, i, 0) = 0;
	for (size_t row = 0; row < search->groups; row++)
		for (size_t column = 0; column < search->groups; column++)
			*sum_at(search, row + 1, column + 1) =
			    distance_of_groups(search, row, column) + *sum_at(search, row, column + 1) +
			    *sum_at(search, row + 1, column) - *sum_at(search, row, column);
}

/* The sum between groups from to end - 1 and groups other_from to other_end - 1. */
static double distances(const struct search *search, size_t from, size_t end, size_t other_from, size_t other_end)
{
	return *sum_at(search, end, other_end) - *sum_at(search, from, other_end) - *sum_at(search, end, other_from) +
	       *sum_at(search, from, other_from);
}

/* --- The energy statistic --- */

static double mean_within(const struct search *search, size_t from, size_t end, double count)
{
	return distances(search, from, end, from, end) / (count * (count - 1));
}

/* Q of the paper, of the groups before and after division. */
static double statistic_of(const struct search *search, size_t from, size_t division, size_t end)
{
	const double first = (double)(search->starts[division] - search->starts[from]);
	const double second = (double)(search->starts[end] - search->starts[division]);

	if (first < 2 || second < 2)
		return -1;
	const double between = distances(search, from, division, division, end) / (first * second);
	return first * second / (first + second) *
	       (2 * between - mean_within(search, from, division, first) - mean_within(search, division, end, second));
}

static void divide_cluster(const struct search *search, size_t from, size_t end, struct division *best)
{
	for (size_t division = from + 1; division < end; division++)
		for (size_t until = division + 1; until <= end; until++) {
			const double statistic = statistic_of(search, from, division, until);
			if (statistic > best->statistic)
				*best = (struct division){statistic, division};
		}
}

static size_t cluster_end(const struct search *search, size_t from)
{
	size_t end = from + 1;

	while (!search->begins[end])
		end++;
	return end;
}

/* The best division of any cluster. */
static struct division divide(const struct search *search)
{
	struct division best = {.statistic = -1};

	fill_sums(search);
	for (size_t from = 0; from < search->groups; from = cluster_end(search, from))
		divide_cluster(search, from, cluster_end(search, from), &best);
	return best;
}

/* --- The test --- */

static void permute(const struct search *search, uint64_t *random)
{
	for (size_t from = 0; from < search->groups; from = cluster_end(search, from)) {
		double *values = search->values + search->starts[from];
		const size_t count = search->starts[cluster_end(search, from)] - search->starts[from];
		for (size_t i = count; i > 1; i--) {
			const size_t other = splitmix_below(random, i);
			const double value = values[i - 1];
			values[i - 1] = values[other];
			values[other] = value;
		}
	}
}

/* The share of permutations that can be divided as well. It ends early once it is above the level. */
static double test(const struct search *search, double statistic, double level)
{
	const double wanted = 20 / level;
	const size_t permutations = wanted < PERMUTATIONS_MIN   ? PERMUTATIONS_MIN
				    : wanted > PERMUTATIONS_MAX ? PERMUTATIONS_MAX
								: (size_t)wanted;
	uint64_t random = SEED;
	size_t as_good = 1;

	for (size_t i = 0; i < permutations; i++) {
		permute(search, &random);
		as_good += divide(search).statistic >= statistic;
		if ((double)as_good > level * (double)(permutations + 1))
			return (double)as_good / (double)(i + 2);
	}
	return (double)as_good / (double)(permutations + 1);
}

static void add_point(struct change_point *points, size_t *count, struct change_point point)
{
	size_t at = (*count)++;

	for (; at > 0 && points[at - 1].group > point.group; at--)
		points[at] = points[at - 1];
	points[at] = point;
}

static size_t find(struct search *search, const double *values, double level, struct change_point *points)
{
	const size_t all = search->starts[search->groups];
	size_t count = 0;

	for (;;) {
		memcpy(search->values, values, all * sizeof(*values));
		const struct division best = divide(search);
		if (best.statistic <= 0)
			return count;
		const double p = test(search, best.statistic, level);
		if (p > level)
			return count;
		search->begins[best.group] = true;
		add_point(points, &count, (struct change_point){best.group, p});
	}
}

size_t change_points_find(const double *values, const size_t *starts, size_t groups, double level,
			  struct change_point *points)
{
	struct search search = {.starts = starts, .groups = groups};

	if (groups < 2)
		return 0;
	search.values = xcalloc(starts[groups] + 1, sizeof(*search.values));
	search.sums = xcalloc((groups + 1) * (groups + 1), sizeof(*search.sums));
	search.begins = xcalloc(groups + 1, sizeof(*search.begins));
	search.begins[0] = search.begins[groups] = true;
	const size_t count = find(&search, values, level, points);
	free(search.values);
	free(search.sums);
	free(search.begins);
	return count;
}
