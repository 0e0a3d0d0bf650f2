/* SPDX-License-Identifier: MIT
 *
 * News of the rules while traces arrive: what another kernel than the first one breaks, once, unless the first
 * one breaks it, too. */
#include "compare/rule_news.h"
#include "support/unit.h"

static const char *const labels[] = {"base", "patched", "other"};
static struct rule_news news;
static struct buffer said;

static int set_up(void **state)
{
	rule_news_begin(&news, labels, 3);
	return 0;
}

static int tear_down(void **state)
{
	rule_news_free(&news);
	buffer_free(&said);
	return 0;
}

/* Adds a trace with 100 judged decisions; broken: an invariant, or RULE_NONE; breaks: picks of a wrong task. */
static const char *add(size_t set, uint32_t broken, uint64_t breaks)
{
	struct rules_findings found = {.account = {.decisions = 100, .judged = 100, .explained = 100 - breaks}};

	for (uint32_t i = 0; i < invariant_count(); i++)
		found.invariants.rows[i].checked = 10;
	if (broken != RULE_NONE)
		found.invariants.rows[broken].broken = 3;
	found.account.breaks[BREAK_LATER_DEADLINE].count = breaks;
	buffer_clear(&said);
	rule_news_add(&news, set, &found, set ? "patched/w_run1.dat" : "base/w_run1.dat", &said);
	return said.length ? said.data : "";
}

static void assert_says(const char *text, const char *part)
{
	if (!strstr(text, part))
		fail_msg("'%s' lacks '%s'", text, part);
}

static void assert_counts(unsigned int patched, unsigned int other)
{
	assert_int_equal(rule_news_count(&news, 1), patched);
	assert_int_equal(rule_news_count(&news, 2), other);
}

static const char *words(size_t set)
{
	buffer_clear(&said);
	rule_news_add_words(&news, set, &said);
	return said.length ? said.data : "";
}

TEST_WITH(nothing_broken_is_no_news, set_up, tear_down)
{
	assert_string_equal(words(1), "");
	assert_string_equal(add(0, RULE_NONE, 0), "");
	assert_string_equal(add(1, RULE_NONE, 0), "");
	assert_string_equal(words(1), "patched breaks no rule that base keeps");
	assert_string_equal(words(2), "");
}

TEST_WITH(a_rule_is_news_once_for_each_set, set_up, tear_down)
{
	const uint32_t row = invariant_find("deadline_in_slice");

	assert_string_equal(add(0, RULE_NONE, 0), "");
	const char *text = add(1, row, 0);
	assert_says(
	    text, "patched breaks a rule that base keeps so far:\npatched: deadline_in_slice is broken 3 of 10 times");
	assert_says(text, "patched/w_run1.dat\n");
	assert_null(strstr(text, "decisions follow"));
	assert_string_equal(add(1, row, 0), "");
	assert_says(add(2, row, 0), "other breaks a rule that base keeps so far:\nother: deadline_in_slice");
	assert_counts(1, 1);
	assert_string_equal(words(1), "patched breaks 1 rule that base keeps");
}

TEST_WITH(picks_are_a_rule, set_up, tear_down)
{
	assert_string_equal(add(1, RULE_NONE, 3), ""); /* nothing of base is judged */
	assert_string_equal(words(1), "");
	add(0, RULE_NONE, 0);
	const char *text = add(1, RULE_NONE, 2);

	assert_says(text, "patched: 98 of 100 decisions follow");
	assert_string_equal(add(1, RULE_NONE, 50), "");
	assert_says(add(1, invariant_find("lag_kept"), 2), "so far:\npatched: lag_kept is broken");
	assert_counts(2, 0);
	assert_string_equal(words(1), "patched breaks 2 rules that base keeps");
}

TEST_WITH(what_base_breaks_is_no_news, set_up, tear_down)
{
	assert_string_equal(add(0, invariant_find("lag_kept"), 1), "");
	assert_string_equal(add(1, invariant_find("lag_kept"), 5), "");
	assert_counts(0, 0);
	assert_says(add(1, invariant_find("lag_bounded"), 5), "so far:\npatched: lag_bounded is broken");
	assert_counts(1, 0);
}

/* A later trace of base takes back what was said, once. */
TEST_WITH(what_base_breaks_later_is_taken_back, set_up, tear_down)
{
	const uint32_t row = invariant_find("sleeper_leaves");

	add(0, RULE_NONE, 0);
	add(1, row, 2);
	assert_counts(2, 0);
	const char *text = add(0, row, 0);
	assert_says(text, "base breaks it too, so patched does not differ in this:\nbase: sleeper_leaves is broken");
	assert_says(text, "base/w_run1.dat\n");
	assert_counts(1, 0);
	assert_string_equal(add(0, row, 0), "");
	assert_string_equal(add(1, row, 0), "");
	assert_says(add(0, RULE_NONE, 1), "patched does not differ in this:\nbase: 99 of 100 decisions follow");
	assert_counts(0, 0);
	assert_string_equal(words(1), "patched breaks no rule that base keeps");
}
