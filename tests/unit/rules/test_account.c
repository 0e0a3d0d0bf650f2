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
	assert_text((struct rules_account){.decisions = 40, .judged = 40, .explained = 40, .has_eevdf = true},
		    "all 40 decisions follow EEVDF's rule (earliest eligible virtual deadline)");
	assert_text((struct rules_account){.decisions = 40, .judged = 40, .explained = 40, .has_cfs = true},
		    "all 40 decisions follow CFS's rule (smallest vruntime)");
}

TEST(the_share_is_of_those_that_are_judged)
{
	assert_text(
	    (struct rules_account){.decisions = 42, .judged = 40, .explained = 40, .has_cfs = true, .has_eevdf = true},
	    "all 40 judged decisions follow the published rule; 2 could not be judged");
	assert_text(
	    (struct rules_account){.decisions = 42,
				   .judged = 40,
				   .explained = 37,
				   .has_eevdf = true,
				   .breaks[BREAK_NOT_ELIGIBLE].count = 2,
				   .breaks[BREAK_PROTECTED].count = 1},
	    "37 of 40 judged decisions follow EEVDF's rule (earliest eligible virtual deadline); 2 could not be "
	    "judged; 2 times (5.00 %) it picks a task that is not eligible");
}

TEST(none_is_judged)
{
	assert_text((struct rules_account){.decisions = 42}, "none of 42 decisions could be judged");
	assert_text((struct rules_account){.decisions = 0}, "none of 0 decisions could be judged");
}

TEST(one_of_millions_is_not_lost)
{
	assert_text(
	    (struct rules_account){.decisions = 5000000,
				   .judged = 5000000,
				   .explained = 4999999,
				   .has_cfs = true,
				   .breaks[BREAK_BUDDY].count = 1},
	    "4999999 of 5000000 decisions follow CFS's rule (smallest vruntime); once (0.00002 %) it does not pick the "
	    "buddy: the verdict rests on this one decision");
	assert_text(
	    (struct rules_account){.decisions = 4, .judged = 4, .has_cfs = true, .breaks[BREAK_BUDDY].count = 4},
	    "0 of 4 decisions follow CFS's rule (smallest vruntime); 4 times (100 %) it does not pick the buddy");
}
