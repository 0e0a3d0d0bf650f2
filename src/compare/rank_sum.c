/* SPDX-License-Identifier: MIT */
#include "compare/rank_sum.h"

#include <stdint.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/splitmix.h"

#define RANDOM_WAYS 9999

/* Twice the rank of each value of both samples, first sample first; equal values share their mean rank. */
static void rank_twice(const double *first, size_t first_count, const double *second, size_t second_count,
		       uint64_t *ranks)
{
	for (size_t i = 0, j = 0; i < first_count || j < second_count;) {
		double value = j == second_count || (i < first_count && first[i] <= second[j]) ? first[i] : second[j];
		size_t from_i = i, from_j = j;
		while (i < first_count && first[i] <= value)
			i++;
		while (j < second_count && second[j] <= value)
			j++;
		uint64_t rank = from_i + from_j + 1 + i + j;
		for (size_t at = from_i; at < i; at++)
			ranks[at] = rank;
		for (size_t at = from_j; at < j; at++)
			ranks[first_count + at] = rank;
	}
}

static uint64_t distance(uint64_t sum, uint64_t mean)
{
	return sum > mean ? sum - mean : mean - sum;
}

/* Counts the selections of this many ranks for each possible sum, rank by rank. */
static double exact_chance(uint64_t *ranks, size_t count, size_t of, uint64_t mean, uint64_t observed)
{
	size_t max = of * (of + 1);
	double *ways = xcalloc((count + 1) * (max + 1), sizeof(*ways));
	double as_far = 0, all = 0;

	ways[0] = 1;
	for (size_t i = 0; i < of; i++)
		for (size_t taken = count; taken-- > 0;)
			for (size_t sum = max - ranks[i] + 1; sum-- > 0;)
				ways[(taken + 1) * (max + 1) + sum + ranks[i]] += ways[taken * (max + 1) + sum];
	for (size_t sum = 0; sum <= max; sum++) {
		double here = ways[count * (max + 1) + sum];
		all += here;
		as_far += distance(sum, mean) >= observed ? here : 0;
	}
	free(ways);
	return as_far / all;
}

static double random_chance(uint64_t *ranks, size_t count, size_t of, uint64_t mean, uint64_t observed)
{
	uint64_t state = 1;
	size_t as_far = 1;

	for (size_t way = 0; way < RANDOM_WAYS; way++) {
		uint64_t sum = 0;
		for (size_t i = 0; i < count; i++) {
			size_t other = i + splitmix_below(&state, of - i);
			uint64_t rank = ranks[other];
			ranks[other] = ranks[i];
			ranks[i] = rank;
			sum += rank;
		}
		as_far += distance(sum, mean) >= observed;
	}
	return (double)as_far / (RANDOM_WAYS + 1);
}

double rank_sum_chance(const double *first, size_t first_count, const double *second, size_t second_count)
{
	size_t of = first_count + second_count;
	uint64_t mean = (uint64_t)first_count * (of + 1), sum = 0;
	uint64_t *ranks = xcalloc(of, sizeof(*ranks));

	rank_twice(first, first_count, second, second_count, ranks);
	for (size_t i = 0; i < first_count; i++)
		sum += ranks[i];
	const double p =
	    (of <= RANK_SUM_EXACT ? exact_chance : random_chance)(ranks, first_count, of, mean, distance(sum, mean));
	free(ranks);
	return p;
}

/* Two of all ways to choose the ranks of the first sample: the lowest, and the highest. */
double rank_sum_smallest(size_t first_count, size_t second_count)
{
	double ways = 1;

	for (size_t i = 1; i <= first_count; i++)
		ways *= (double)(second_count + i) / (double)i;
	return ways > 2 ? 2 / ways : 1;
}
