/* SPDX-License-Identifier: MIT
 *
 * Change points of series that are drawn here: where they are, how often there are none, and of what has no room for
 * any. */
#include "compare/change_points.h"

#include <math.h>

#include "compare/splitmix.h"
#include "support/unit.h"

enum { GROUPS = 12, RUNS = 5 };

struct series {
	double values[GROUPS * RUNS];
	size_t starts[GROUPS + 1];
};

/* Around 100, with a spread of about 2; a group's level is multiplied by its factor. */
static struct series draw(uint64_t seed, const double *factors)
{
	struct series series = {.starts = {0}};

	for (size_t group = 0; group < GROUPS; group++) {
		for (size_t run = 0; run < RUNS; run++) {
			double noise = 0;
			for (int i = 0; i < 4; i++)
				noise += (double)splitmix_below(&seed, 1000) / 1000 - 0.5;
			series.values[group * RUNS + run] = (100 + 3 * noise) * factors[group];
		}
		series.starts[group + 1] = (group + 1) * RUNS;
	}
	return series;
}

static const double level_factors[GROUPS] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};

TEST(two_changes_are_found_where_they_are)
{
	static const double factors[GROUPS] = {1, 1, 1, 1, 1.1, 1.1, 1.1, 1.1, 1.1, 0.95, 0.95, 0.95};
	struct change_point points[GROUPS];
	unsigned int others = 0;
	size_t count;

	for (uint64_t seed = 1; seed <= 40; seed++) {
		const struct series series = draw(seed, factors);
		bool found[GROUPS] = {false};
		count = change_points_find(series.values, series.starts, GROUPS, 0.01, points);
		for (size_t i = 0; i < count; i++) {
			found[points[i].group] = true;
			assert_true(points[i].p <= 0.01);
			assert_true(i == 0 || points[i].group > points[i - 1].group);
		}
		assert_true(found[4] && found[9]);
		others += (unsigned int)count - 2;
	}
	assert_in_range(others, 0, 2); /* 0.4 are expected; the draws are the same each time */
}

TEST(without_a_change_there_is_rarely_one)
{
	struct change_point points[GROUPS];
	unsigned int alarms = 0;
	size_t count;

	for (uint64_t seed = 1; seed <= 100; seed++) {
		const struct series series = draw(seed, level_factors);
		count = change_points_find(series.values, series.starts, GROUPS, 0.05, points);
		alarms += count > 0;
	}
	assert_in_range(alarms, 1, 10); /* 5 are expected; the draws are the same each time */
}

TEST(the_same_series_gives_the_same_points)
{
	static const double factors[GROUPS] = {1, 1, 1, 1, 1, 1, 1.02, 1.02, 1.02, 1.02, 1.02, 1.02};
	const struct series series = draw(3, factors);
	struct change_point points[GROUPS], again[GROUPS];
	size_t count, again_count;

	count = change_points_find(series.values, series.starts, GROUPS, 0.05, points);
	again_count = change_points_find(series.values, series.starts, GROUPS, 0.05, again);
	assert_int_equal(count, again_count);
	for (size_t i = 0; i < count; i++)
		assert_true(points[i].group == again[i].group && points[i].p == again[i].p);
}

TEST(series_without_room_for_a_change_have_none)
{
	static const double values[] = {1, 2, 3, 4, 5, 6, 7, 8};
	static const double equal[8] = {0};
	static const size_t one[] = {0, 8}, halves[] = {0, 1, 2}, empty[] = {0, 0, 4, 4, 8, 8};
	struct change_point points[5];
	size_t count;

	count = change_points_find(values, one, 0, 0.05, points);
	assert_int_equal(count, 0);
	count = change_points_find(values, one, 1, 0.05, points);
	assert_int_equal(count, 0);
	count = change_points_find(values, halves, 2, 0.05, points);
	assert_int_equal(count, 0);
	count = change_points_find(equal, empty, 5, 0.05, points);
	assert_int_equal(count, 0);
	/* Groups without values are no hindrance. */
	count = change_points_find(values, empty, 5, 0.05, points);
	assert_int_equal(count, 1);
	assert_in_range(points[0].group, 2, 3);
}
