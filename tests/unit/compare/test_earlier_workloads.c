/* SPDX-License-Identifier: MIT
 *
 * The workloads before a run's own in the words of its recipe. */
#include "compare/earlier_workloads.h"

#include <stdlib.h>

#include "support/unit.h"

static char *earlier_in(char *workload, const char *const *words)
{
	struct run run = {.workload = workload};

	for (; *words; words++)
		arguments_add(&run.metadata.recipe.words, "%s", *words);
	char *earlier = earlier_workloads(&run);
	arguments_free(&run.metadata.recipe.words);
	return earlier;
}

static void check(char *workload, const char *names, const char *expected)
{
	char option[256];

	snprintf(option, sizeof(option), "--workload=%s", names);
	char *earlier = earlier_in(workload, (const char *const[]){"vm", option, "--keys=yes", NULL});
	if (expected)
		assert_string_equal(earlier, expected);
	else
		assert_null(earlier);
	free(earlier);
}

TEST(workloads_before_its_own_are_those_of_the_recipe)
{
	check("a", "a,b,c", "none");
	check("b", "a,b,c", "a");
	check("c", "a,b,c", "a, b");
	check("a", "a", "none");
	/* A name that begins with another one. */
	check("ab", "a,abc,ab", "a, abc");
	check("abc", "ab", NULL);
	check("a", "ab", NULL);
	check("x", "a,b", NULL);
	check("a", "", "none");
}

TEST(mixes_and_commands_have_the_names_in_their_words)
{
	check("busy", "a,mix: name busy; 4 burn cpus=0-1; 2 nap,b", "a");
	check("b", "a,mix: name busy; 4 burn,b", "a, mix: name busy; 4 burn");
	check("mix", "a,mix: 4 burn", "a");
	check("4", "a,mix: 4 burn", NULL);
	check("busy", "mix: name busier; 4 burn,exec:busy:own", "mix: name busier; 4 burn");
	check("make", "a,exec:make", "a");
	check("own", "a,exec:make:own", NULL);
}

TEST(other_recipes_are_not_known)
{
	char a[] = "a";

	assert_null(earlier_in(a, (const char *const[]){NULL}));
	assert_null(earlier_in(a, (const char *const[]){"vm", "--keys=yes", NULL}));
	/* A machine has run other things before. */
	assert_null(earlier_in(a, (const char *const[]){"collect", "--workload=b,a", NULL}));
	/* The last option counts, and none after the dashes does. */
	char *earlier = earlier_in(a, (const char *const[]){"vm", "--workload=c,a", "--workload=b,a", NULL});
	assert_string_equal(earlier, "b");
	free(earlier);
	earlier = earlier_in(a, (const char *const[]){"vm", "--", "a", "--workload=b,a", NULL});
	assert_string_equal(earlier, "none");
	free(earlier);
}

static void check_place(const char *workloads, size_t common, const char *expected)
{
	struct buffer text = {0};

	earlier_workloads_add_place(workloads, common, &text);
	assert_string_equal(text.data, expected);
	buffer_free(&text);
}

TEST(places_name_what_differs)
{
	assert_int_equal(earlier_workloads_common("none", "none"), 0);
	assert_int_equal(earlier_workloads_common("a, b, c", "a, b, d"), 2);
	assert_int_equal(earlier_workloads_common("a, b", "a, b, c"), 2);
	assert_int_equal(earlier_workloads_common("a, b", "a, bc"), 1);
	assert_int_equal(earlier_workloads_common("a", "none"), 0);
	check_place("none", 0, "first");
	check_place("a", 0, "after a");
	check_place("a, b", 1, "after a, b");
	check_place("a, b, c", 2, "after the same 2, then c");
	check_place("a, b", 2, "after the same 2");
	check_place("a, b, c, d, e, f, g", 2, "after the same 2, then c, d, e, 2 more");
	check_place("a, b, c, d", 0, "after a, b, c, 1 more");
	check_place("mix: name busy; 4 burn cpus=0-1; 2 nap", 0, "after mix: name busy; 4 burn cpus=…nap");
}
