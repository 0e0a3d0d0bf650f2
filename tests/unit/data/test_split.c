/* SPDX-License-Identifier: MIT
 *
 * Against what the seed's description gives in Python 3.11; tests/cli/build.bats compares many more. */
#include "data/split.h"
#include "support/unit.h"

static void check_order(const struct split *split, const size_t *expected, size_t count)
{
	for (size_t i = 0; i < count; i++)
		assert_int_equal(split->order[i], expected[i]);
}

static void split_with_seed(const size_t *group_of, size_t traces, size_t groups, double ratio, struct split *split)
{
	struct python_random random;

	python_random_seed(&random, 1);
	split_traces(group_of, NULL, traces, groups, &random, ratio, split);
}

/* random.seed(42); random.choice([0, 1, 2]) is 2; shuffles of the two others follow. */
TEST(the_group_held_out_is_test_unseen)
{
	static const size_t group_of[] = {0,           0, 0, 0, 0, 0, 1, 1, 1, SPLIT_UNSEEN, SPLIT_UNSEEN, SPLIT_UNSEEN,
					  SPLIT_UNSEEN};
	static const size_t expected[] = {1, 3, 4, 2, 7, 8, 5, 0, 6, 9, 10, 11, 12};
	const size_t train = 6, test_seen = 3, test_unseen = 4;
	struct python_random random;
	struct split split;

	python_random_seed(&random, 42);
	assert_int_equal(python_random_below(&random, 3), 2);
	split_traces(group_of, NULL, 13, 3, &random, 0.75, &split);
	assert_int_equal(split.count[SPLIT_TRAIN], train);
	assert_int_equal(split.count[SPLIT_TEST_SEEN], test_seen);
	assert_int_equal(split.count[SPLIT_TEST_UNSEEN], test_unseen);
	check_order(&split, expected, 13);
	split_free(&split);
}

TEST(without_one_held_out_no_trace_is_unseen)
{
	static const size_t two[] = {0, 1, 1};
	static const size_t three[] = {0, 1, 2};
	struct split split;

	split_with_seed(two, 3, 2, 0.8, &split);
	assert_int_equal(split.count[SPLIT_TRAIN] + split.count[SPLIT_TEST_SEEN], 3);
	split_free(&split);
	split_with_seed(three, 3, 3, 0.8, &split);
	assert_int_equal(split.count[SPLIT_TRAIN], 3);
	assert_int_equal(split.count[SPLIT_TEST_UNSEEN], 0);
	split_free(&split);
}

TEST(groups_that_are_alike_are_split_alike)
{
	static const size_t group_of[] = {0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2};
	static const size_t like[] = {0, 0, 2};
	struct python_random random;
	struct split split, other;

	python_random_seed(&random, 1);
	split_traces(group_of, like, 12, 3, &random, 0.5, &split);
	for (size_t i = 0; i < 2; i++) {
		assert_int_equal(split.order[2 + i], split.order[i] + 4);
		assert_int_equal(split.order[8 + i], split.order[6 + i] + 4);
	}
	/* The third is the second that is shuffled. */
	static const size_t two[] = {0, 0, 0, 0, 1, 1, 1, 1};
	split_with_seed(two, 8, 2, 0.5, &other);
	assert_int_equal(split.order[4], other.order[2] + 4);
	assert_int_equal(split.order[5], other.order[3] + 4);
	split_free(&split);
	split_free(&other);
}

TEST(train_has_at_min_one_and_at_most_all)
{
	static const size_t one[] = {0, 0, 0, 0};
	struct split split;

	split_with_seed(one, 4, 1, 0, &split);
	assert_int_equal(split.count[SPLIT_TRAIN], 1);
	assert_int_equal(split.count[SPLIT_TEST_SEEN], 3);
	split_free(&split);
	split_with_seed(one, 4, 1, 1, &split);
	assert_int_equal(split.count[SPLIT_TRAIN], 4);
	assert_int_equal(split.count[SPLIT_TEST_SEEN], 0);
	split_free(&split);
	split_with_seed(one, 0, 0, 0.5, &split);
	assert_int_equal(split.count[SPLIT_TRAIN], 0);
	split_free(&split);
}

/* int(n * ratio) in Python: 100 * 0.29 is 28.999999999999996, 100 * 0.57 is 56.99999999999999. */
TEST(shares_are_cut_as_doubles_are)
{
	assert_int_equal(split_share(100, 0.29), 28);
	assert_int_equal(split_share(100, 0.57), 56);
	assert_int_equal(split_share(10, 0.7), 7);
	assert_int_equal(split_share(3, 0.5), 1);
	assert_int_equal(split_share(0, 0.5), 0);
	assert_int_equal(split_share(5, 0), 0);
	assert_int_equal(split_share(5, -0.0), 0);
	assert_int_equal(split_share(5, 1), 5);
}
