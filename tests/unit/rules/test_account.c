/* SPDX-License-Identifier: MIT
 *
 * The sentence about the decisions: what it counts, and that a share that is not all never reads as all. */
#include "rules/account.h"
#include "support/unit.h"

static void assert_text(struct rules_account account, const char *expected)
{
	struct buffer text = {0};

	rules_account_text(&account, &text);
	assert_string_equal(text.data, expected);
	buffer_free(&text);
}

TEST(all_are_judged)
{
	assert_text((struct rules_account){.decisions = 40, .judged = 40, .explained = 40},
		    "100 % of 40 decisions are the rule's");
}

TEST(the_share_is_of_those_that_are_judged)
{
	assert_text((struct rules_account){.decisions = 42, .judged = 40, .explained = 40},
		    "100 % of 40 judged decisions are the rule's (2 more not judged)");
	assert_text((struct rules_account){.decisions = 42,
					   .judged = 40,
					   .explained = 37,
					   .breaks[BREAK_NOT_ELIGIBLE].count = 2,
					   .breaks[BREAK_PROTECTED].count = 1},
		    "92.50 % of 40 judged decisions are the rule's (2 more not judged); in 5.00 % it picks a task that "
		    "is not eligible");
}

TEST(none_is_judged)
{
	assert_text((struct rules_account){.decisions = 42}, "none of 42 decisions is judged");
	assert_text((struct rules_account){.decisions = 0}, "none of 0 decisions is judged");
}

TEST(one_of_millions_is_not_lost)
{
	assert_text(
	    (struct rules_account){
		.decisions = 5000000, .judged = 5000000, .explained = 4999999, .breaks[BREAK_BUDDY].count = 1},
	    "99.99998 % of 5000000 decisions are the rule's; in 0.00002 % it does not pick the buddy");
	assert_text((struct rules_account){.decisions = 4, .judged = 4, .breaks[BREAK_BUDDY].count = 4},
		    "0 % of 4 decisions are the rule's; in 100 % it does not pick the buddy");
}
