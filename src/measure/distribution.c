/* SPDX-License-Identifier: MIT */
#include "measure/distribution.h"

#include <stddef.h>
#include <stdlib.h>

#include "base/memory.h"

#define FOUR_DIGITS 10000 /* numbers below this are counted exactly */
#define DECADES     17    /* units from 1 to 10^16, for numbers of up to 20 digits */

/* Counts of values by their first four digits. First index: the power of ten of the fourth digit; second index: value /
 * that power, which can be rounded up to FOUR_DIGITS. A count stops at UINT32_MAX. */
struct digit_counts {
	uint32_t *decades[DECADES]; /* NULL: no values */
};

static const uint64_t powers[] = {
    1,
    10,
    100,
    1000,
    10000,
    100000,
    1000000,
    10000000,
    100000000,
    1000000000,
    10000000000,
    100000000000,
    1000000000000,
    10000000000000,
    100000000000000,
    1000000000000000,
    10000000000000000,
    100000000000000000,
    1000000000000000000,
    UINT64_C(10000000000000000000),
};

static unsigned int decade_of(uint64_t value)
{
	if (value < FOUR_DIGITS)
		return 0;
	/* log10(2), rounded: the power of ten at or just above that of the number's leading bit */
	unsigned int power = ((64 - (unsigned int)__builtin_clzll(value)) * 1233) >> 12;
	power -= power >= sizeof(powers) / sizeof(powers[0]) || value < powers[power];
	return power - 3;
}

/* Rounds. A multiplication is several times faster than a division by a variable; its result can be off by one. */
static uint64_t first_digits(uint64_t value, unsigned int decade)
{
	static const double inverses[DECADES] = {1,    1e-1,  1e-2,  1e-3,  1e-4,  1e-5,  1e-6,  1e-7, 1e-8,
						 1e-9, 1e-10, 1e-11, 1e-12, 1e-13, 1e-14, 1e-15, 1e-16};
	const uint64_t unit = powers[decade];
	uint64_t digits = (uint64_t)((double)value * inverses[decade]);

	digits -= digits * unit > value;
	digits += value - digits * unit >= unit;
	return digits + (value - digits * unit >= unit - unit / 2);
}

static void count_digits(struct digit_counts *counts, uint64_t value)
{
	const unsigned int decade = decade_of(value);

	if (!counts->decades[decade])
		counts->decades[decade] = xcalloc(FOUR_DIGITS + 1, sizeof(**counts->decades));
	uint32_t *count = &counts->decades[decade][first_digits(value, decade)];
	*count += *count < UINT32_MAX;
}

/* Counts the values instead of keeping them. */
static __attribute__((noinline, cold)) void begin_counts(struct distribution *distribution)
{
	distribution->counts = xcalloc(1, sizeof(*distribution->counts));
	for (uint64_t i = 0; i < distribution->count; i++)
		count_digits(distribution->counts, distribution->values[i]);
	free(distribution->values);
	distribution->values = NULL;
}

static void note_range(struct distribution *distribution, uint64_t min, uint64_t max)
{
	if (distribution->count == 0 || min < distribution->min)
		distribution->min = min;
	if (distribution->max < max)
		distribution->max = max;
}

/* The next capacity if count values fill the present one, else 0. Reserving memory that is not used is cheaper than
 * copying: the first write to a page takes as long as hundreds of values. */
static size_t capacity_after(uint64_t count)
{
	return count == 0 ? 8 : count == 8 ? 64 : count == 64 ? 512 : count == 512 ? DISTRIBUTION_EXACT : 0;
}

static void keep(struct distribution *distribution, uint64_t value)
{
	const uint64_t count = distribution->count;

	const size_t capacity = capacity_after(count);

	if (capacity)
		distribution->values = xreallocarray(distribution->values, capacity, sizeof(*distribution->values));
	distribution->values[count] = value;
}

void distribution_add(struct distribution *distribution, uint64_t value)
{
	note_range(distribution, value, value);
	if (distribution->count == DISTRIBUTION_EXACT && !distribution->counts)
		begin_counts(distribution);
	if (distribution->counts)
		count_digits(distribution->counts, value);
	else
		keep(distribution, value);
	distribution->count++;
	distribution->sum += value;
}

static void merge_decade(struct digit_counts *counts, const struct digit_counts *others, unsigned int decade)
{
	const uint32_t *other = others->decades[decade];

	if (!other)
		return;
	if (!counts->decades[decade])
		counts->decades[decade] = xcalloc(FOUR_DIGITS + 1, sizeof(**counts->decades));
	uint32_t *own = counts->decades[decade];
	for (uint32_t i = 0; i <= FOUR_DIGITS; i++)
		own[i] = other[i] > UINT32_MAX - own[i] ? UINT32_MAX : own[i] + other[i];
}

void distribution_merge(struct distribution *distribution, const struct distribution *other)
{
	if (!other->counts) {
		for (uint64_t i = 0; i < other->count; i++)
			distribution_add(distribution, other->values[i]);
		return;
	}
	note_range(distribution, other->min, other->max);
	if (!distribution->counts)
		begin_counts(distribution);
	distribution->count += other->count;
	distribution->sum += other->sum;
	for (unsigned int decade = 0; decade < DECADES; decade++)
		merge_decade(distribution->counts, other->counts, decade);
}

/* The value at this place of the sorted order. Divides the range of values into parts, counts the values of each part
 * and continues with the part that has the place, until one value is left. Faster than a sort, whose comparisons are
 * unpredictable. */
static uint64_t find_value(const struct distribution *distribution, uint64_t place)
{
	const unsigned int bits = distribution->count < 256 ? 4 : 8;
	uint64_t low = distribution->min, range = distribution->max - low;

	while (range > 0) {
		const unsigned int used = 64 - (unsigned int)__builtin_clzll(range);
		const unsigned int shift = used > bits ? used - bits : 0;
		uint32_t counts[256] = {0};
		unsigned int part = 0;
		for (uint64_t i = 0; i < distribution->count; i++)
			if (distribution->values[i] - low <= range)
				counts[(distribution->values[i] - low) >> shift]++;
		for (; place >= counts[part]; part++)
			place -= counts[part];
		const uint64_t begin = (uint64_t)part << shift, length = (UINT64_C(1) << shift) - 1;
		low += begin;
		range = range - begin < length ? range - begin : length;
	}
	return low;
}

static uint64_t find_digits(const struct distribution *distribution, uint64_t rank)
{
	uint64_t seen = 0;

	for (unsigned int decade = 0; decade < DECADES; decade++) {
		const uint32_t *counts = distribution->counts->decades[decade];
		for (uint64_t digits = 0; counts && digits <= FOUR_DIGITS; digits++) {
			seen += counts[digits];
			if (seen >= rank)
				return digits > UINT64_MAX / powers[decade] ? UINT64_MAX : digits * powers[decade];
		}
	}
	return distribution->max;
}

uint64_t distribution_percentile(const struct distribution *distribution, unsigned int per_mille)
{
	const uint64_t count = distribution->count;

	if (count == 0)
		return 0;
	/* ceil(count * per_mille / 1000), without overflow */
	uint64_t rank = count / 1000 * per_mille + (count % 1000 * per_mille + 999) / 1000;
	rank = rank < 1 ? 1 : rank > count ? count : rank;
	if (!distribution->counts)
		return find_value(distribution, rank - 1);
	if (rank == count)
		return distribution->max;
	const uint64_t value = find_digits(distribution, rank);
	return value < distribution->min ? distribution->min : value > distribution->max ? distribution->max : value;
}

uint64_t distribution_mean(const struct distribution *distribution)
{
	return distribution->count ? distribution->sum / distribution->count : 0;
}

void distribution_free(struct distribution *distribution)
{
	for (unsigned int decade = 0; decade < DECADES && distribution->counts; decade++)
		free(distribution->counts->decades[decade]);
	free(distribution->counts);
	free(distribution->values);
	*distribution = (struct distribution){0};
}
