/* SPDX-License-Identifier: MIT */
#include "measure/distribution.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

#define SPLIT_BITS 6
#define SPLIT      (1u << SPLIT_BITS) /* buckets per power of two; smaller values have one bucket each */

static uint32_t bucket_of(uint64_t value)
{
	if (value < SPLIT)
		return (uint32_t)value;
	unsigned int shift = 63 - SPLIT_BITS - (unsigned int)__builtin_clzll(value);
	return (shift << SPLIT_BITS) + (uint32_t)(value >> shift);
}

static uint64_t bucket_middle(uint32_t bucket)
{
	if (bucket < 2 * SPLIT)
		return bucket;
	unsigned int shift = (bucket >> SPLIT_BITS) - 1;
	return ((uint64_t)(bucket - (shift << SPLIT_BITS)) << shift) + (UINT64_C(1) << (shift - 1));
}

/* Extends the buckets to include [first, last], in whole powers of two. */
static __attribute__((noinline, cold)) void cover(struct distribution *distribution, uint32_t first, uint32_t last)
{
	uint32_t from = first & ~(SPLIT - 1);
	uint32_t to = (last | (SPLIT - 1)) + 1;

	if (distribution->buckets) {
		uint32_t end = distribution->bucket_first + distribution->bucket_count;
		from = from < distribution->bucket_first ? from : distribution->bucket_first;
		to = to > end ? to : end;
		if (from == distribution->bucket_first && to == end)
			return;
	}
	uint32_t *buckets = xcalloc(to - from, sizeof(*buckets));
	if (distribution->buckets)
		memcpy(buckets + (distribution->bucket_first - from), distribution->buckets,
		       distribution->bucket_count * sizeof(*buckets));
	free(distribution->buckets);
	distribution->buckets = buckets;
	distribution->bucket_first = from;
	distribution->bucket_count = to - from;
}

static inline void add_to_bucket(struct distribution *distribution, uint64_t value)
{
	uint32_t bucket = bucket_of(value);

	if (bucket - distribution->bucket_first >= distribution->bucket_count)
		cover(distribution, bucket, bucket);
	uint32_t *count = &distribution->buckets[bucket - distribution->bucket_first];
	*count += *count < UINT32_MAX;
}

/* Replaces the exact values by buckets. */
static __attribute__((noinline, cold)) void spill(struct distribution *distribution)
{
	uint64_t count = distribution->count < DISTRIBUTION_EXACT ? distribution->count : DISTRIBUTION_EXACT;

	for (uint64_t i = 0; i < count; i++)
		add_to_bucket(distribution, distribution->first[i]);
}

static void note_range(struct distribution *distribution, uint64_t min, uint64_t max)
{
	if (distribution->count == 0 || min < distribution->min)
		distribution->min = min;
	if (distribution->max < max)
		distribution->max = max;
}

void distribution_add(struct distribution *distribution, uint64_t value)
{
	note_range(distribution, value, value);
	if (distribution->count == DISTRIBUTION_EXACT)
		spill(distribution);
	if (distribution->count >= DISTRIBUTION_EXACT)
		add_to_bucket(distribution, value);
	else
		distribution->first[distribution->count] = value;
	distribution->count++;
	distribution->sum += value;
}

void distribution_merge(struct distribution *distribution, const struct distribution *other)
{
	if (other->count <= DISTRIBUTION_EXACT) {
		for (uint64_t i = 0; i < other->count; i++)
			distribution_add(distribution, other->first[i]);
		return;
	}
	note_range(distribution, other->min, other->max);
	if (distribution->count <= DISTRIBUTION_EXACT)
		spill(distribution);
	distribution->count += other->count;
	distribution->sum += other->sum;
	cover(distribution, other->bucket_first, other->bucket_first + other->bucket_count - 1);
	uint32_t *counts = distribution->buckets + (other->bucket_first - distribution->bucket_first);
	for (uint32_t i = 0; i < other->bucket_count; i++)
		counts[i] = other->buckets[i] > UINT32_MAX - counts[i] ? UINT32_MAX : counts[i] + other->buckets[i];
}

static int compare(const void *a, const void *b)
{
	uint64_t first = *(const uint64_t *)a;
	uint64_t second = *(const uint64_t *)b;

	return first < second ? -1 : first > second;
}

static uint64_t exact_percentile(const struct distribution *distribution, uint64_t rank)
{
	uint64_t sorted[DISTRIBUTION_EXACT];

	memcpy(sorted, distribution->first, sizeof(sorted));
	qsort(sorted, (size_t)distribution->count, sizeof(*sorted), compare);
	return sorted[rank - 1];
}

uint64_t distribution_percentile(const struct distribution *distribution, unsigned int per_mille)
{
	uint64_t count = distribution->count;
	uint64_t seen = 0;

	if (count == 0)
		return 0;
	/* ceil(count * per_mille / 1000), without overflow */
	uint64_t rank = count / 1000 * per_mille + (count % 1000 * per_mille + 999) / 1000;
	rank = rank < 1 ? 1 : rank > count ? count : rank;
	if (count <= DISTRIBUTION_EXACT)
		return exact_percentile(distribution, rank);
	if (rank == count)
		return distribution->max;
	for (uint32_t i = 0; i < distribution->bucket_count; i++) {
		seen += distribution->buckets[i];
		if (seen < rank)
			continue;
		uint64_t middle = bucket_middle(distribution->bucket_first + i);
		return middle < distribution->min   ? distribution->min
		       : middle > distribution->max ? distribution->max
						    : middle;
	}
	return distribution->max;
}

uint64_t distribution_mean(const struct distribution *distribution)
{
	return distribution->count ? distribution->sum / distribution->count : 0;
}

static unsigned int octave_of(uint64_t value)
{
	return value ? 63 - (unsigned int)__builtin_clzll(value) : 0;
}

uint64_t distribution_octave(const struct distribution *distribution, unsigned int power)
{
	uint64_t sum = 0;

	if (distribution->count <= DISTRIBUTION_EXACT) {
		for (uint64_t i = 0; i < distribution->count; i++)
			sum += octave_of(distribution->first[i]) == power;
		return sum;
	}
	uint32_t from = power ? bucket_of(UINT64_C(1) << power) : 0;
	uint32_t to = power < 63 ? bucket_of(UINT64_C(2) << power) : UINT32_MAX;
	for (uint32_t i = 0; i < distribution->bucket_count; i++)
		if (distribution->bucket_first + i >= from && distribution->bucket_first + i < to)
			sum += distribution->buckets[i];
	return sum;
}

void distribution_free(struct distribution *distribution)
{
	free(distribution->buckets);
	*distribution = (struct distribution){0};
}
