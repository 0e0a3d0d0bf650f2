/* SPDX-License-Identifier: MIT
 *
 * --seed-list. */
#include "support/unit.h"
#include "vm/plan/seed_list.h"

TEST(numbers_and_ranges)
{
	static const uint32_t expected[] = {3, 1, 2, 0, 999998, 999999};
	struct seed_list list;

	assert_int_equal(seed_list_parse("1", &list, NULL), STATUS_OK);
	assert_int_equal(list.count, 1);
	assert_int_equal(list.seeds[0], 1);
	assert_int_equal(seed_list_parse("1-10", &list, NULL), STATUS_OK);
	assert_int_equal(list.count, 10);
	assert_int_equal(list.seeds[9], 10);
	/* In the order given. */
	assert_int_equal(seed_list_parse("3,1-2,0,999998-999999", &list, NULL), STATUS_OK);
	assert_int_equal(list.count, 6);
	assert_memory_equal(list.seeds, expected, sizeof(expected));
	assert_int_equal(seed_list_parse("7-7", &list, NULL), STATUS_OK);
	assert_int_equal(list.count, 1);
}

TEST(what_is_wrong_is_named)
{
	static const struct {
		const char *text, *what;
	} bad[] = {
	    {"", "''"},
	    {"x", "'x'"},
	    {"1,", "''"},
	    {",1", "''"},
	    {"1-", "'1-'"},
	    {"-1", "'-1'"},
	    {"3-1", "'3-1'"},
	    {"1-2-3", "'1-2-3'"},
	    {"1, 2", "' 2'"},
	    {"1000000", "'1000000'"},
	    {"99999999999999999999", "'99999999999999999999'"},
	    {"1-3,2", "2 is given twice"},
	    {"0-1000", "more than 1000"},
	};
	struct seed_list list;
	struct error err;

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		assert_int_equal(seed_list_parse(bad[i].text, &list, &err), STATUS_USAGE);
		assert_string_equal(err.where, "--seeds");
		assert_non_null(strstr(err.what, bad[i].what));
	}
}
