/* SPDX-License-Identifier: MIT
 *
 * Against what the seed's description gives in Python 3.11; tests/cli/build.bats compares many more. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "data/split.h"

static void check_order(const struct split *split, const size_t *expected, size_t count)
{
	for (size_t i = 0; i < count; i++)
		assert_int_equal(split->order[i], expected[i]);
}

static void three_categories_hold_one_out(void **state)
{
	static const size_t category_of[] = {0, 0, 0, 0, 0, 0, 1, 1, 1, 2, 2, 2, 2};
	static const size_t expected[] = {1, 3, 4, 2, 7, 8, 5, 0, 6, 9, 10, 11, 12};
	const size_t train = 6, test_seen = 3, test_unseen = 4, unseen = 2;
	struct split split;

	(void)state;
	split_traces(category_of, 13, 3, 42, 0.75, false, &split);
	assert_int_equal(split.count[SPLIT_TRAIN], train);
	assert_int_equal(split.count[SPLIT_TEST_SEEN], test_seen);
	assert_int_equal(split.count[SPLIT_TEST_UNSEEN], test_unseen);
	assert_int_equal(split.unseen_category, unseen);
	check_order(&split, expected, 13);
	split_free(&split);
}

static void two_categories_or_the_option_hold_none_out(void **state)
{
	static const size_t two[] = {0, 1, 1};
	static const size_t three[] = {0, 1, 2};
	struct split split;

	(void)state;
	split_traces(two, 3, 2, 1, 0.8, false, &split);
	assert_int_equal(split.unseen_category, SPLIT_NO_CATEGORY);
	assert_int_equal(split.count[SPLIT_TRAIN] + split.count[SPLIT_TEST_SEEN], 3);
	split_free(&split);
	split_traces(three, 3, 3, 1, 0.8, true, &split);
	assert_int_equal(split.unseen_category, SPLIT_NO_CATEGORY);
	assert_int_equal(split.count[SPLIT_TRAIN], 3);
	assert_int_equal(split.count[SPLIT_TEST_UNSEEN], 0);
	split_free(&split);
}

static void train_has_at_min_one_and_at_most_all(void **state)
{
	static const size_t one[] = {0, 0, 0, 0};
	struct split split;

	(void)state;
	split_traces(one, 4, 1, 1, 0, false, &split);
	assert_int_equal(split.count[SPLIT_TRAIN], 1);
	assert_int_equal(split.count[SPLIT_TEST_SEEN], 3);
	split_free(&split);
	split_traces(one, 4, 1, 1, 1, false, &split);
	assert_int_equal(split.count[SPLIT_TRAIN], 4);
	assert_int_equal(split.count[SPLIT_TEST_SEEN], 0);
	split_free(&split);
	split_traces(one, 0, 0, 1, 0.5, false, &split);
	assert_int_equal(split.count[SPLIT_TRAIN], 0);
	split_free(&split);
}

/* int(n * ratio) in Python: 100 * 0.29 is 28.999999999999996, 100 * 0.57 is 56.99999999999999. */
static void shares_are_cut_as_doubles_are(void **state)
{
	(void)state;
	assert_int_equal(split_share(100, 0.29), 28);
	assert_int_equal(split_share(100, 0.57), 56);
	assert_int_equal(split_share(10, 0.7), 7);
	assert_int_equal(split_share(3, 0.5), 1);
	assert_int_equal(split_share(0, 0.5), 0);
	assert_int_equal(split_share(5, 0), 0);
	assert_int_equal(split_share(5, -0.0), 0);
	assert_int_equal(split_share(5, 1), 5);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(three_categories_hold_one_out),
	    cmocka_unit_test(two_categories_or_the_option_hold_none_out),
	    cmocka_unit_test(train_has_at_min_one_and_at_most_all),
	    cmocka_unit_test(shares_are_cut_as_doubles_are),
	};

	return cmocka_run_group_tests_name("split", tests, NULL, NULL);
}
