/* SPDX-License-Identifier: MIT */
#include "vm/launch/skipped_workloads.h"

#include <stdio.h>

#include "support/unit.h"

#define REASON "the kernel ignores slice: custom slices need Linux 6.12 or later"

/* Each boot names the role whose task met it first. */
TEST(a_workload_that_all_boots_skip_is_one)
{
	struct skipped_workloads skipped = {0};
	const struct skipped_workload *one =
	    skipped_workloads_add(&skipped, 1, "cfs, seed 1: slices_run1 is skipped: slices: role 'a': " REASON);

	assert_non_null(one);
	assert_string_equal(one->text, "slices is skipped: slices: role 'a': " REASON);
	assert_int_equal(one->boots, 1);
	assert_ptr_equal(
	    skipped_workloads_add(&skipped, 12, "cfs, seed 12: slices_run12 is skipped: slices: role 'long': " REASON),
	    one);
	assert_int_equal(one->boots, 2);
	assert_int_equal(skipped.count, 1);
}

TEST(another_reason_or_workload_is_another)
{
	struct skipped_workloads skipped = {0};
	static const char *const warnings[] = {
	    "cfs, seed 1: slices_run1 is skipped: role 'a': " REASON,
	    "cfs, seed 1: slices_run1 is skipped: role 'a': the cgroup is full",
	    "cfs, seed 1: slices_run1 is skipped: role 'a': " REASON ", or so",
	    "cfs, seed 1: slices_run1 is skipped: role 'a",
	    "cfs, seed 1: more_slices_run1 is skipped: role 'a': " REASON,
	};

	for (size_t i = 0; i < sizeof(warnings) / sizeof(warnings[0]); i++)
		assert_int_equal(skipped_workloads_add(&skipped, 1, warnings[i])->boots, 1);
	assert_int_equal(skipped.count, 5);
}

TEST(other_warnings_are_none)
{
	struct skipped_workloads skipped = {0};
	static const char *const warnings[] = {
	    "cfs, seed 1: slices_run1: 3 events lost",
	    "cfs, seed 1: slices_run2 is skipped: " REASON,
	    "cfs, seed 1: slices is skipped: " REASON,
	    "cfs, seed 1: _run1 is skipped: " REASON,
	    " is skipped: ",
	    "",
	};

	for (size_t i = 0; i < sizeof(warnings) / sizeof(warnings[0]); i++)
		assert_null(skipped_workloads_add(&skipped, 1, warnings[i]));
	assert_int_equal(skipped.count, 0);
}

/* A guest may report what it likes. */
TEST(more_than_fit_are_not_remembered)
{
	static struct skipped_workloads skipped;
	char warning[200];

	for (unsigned int i = 0; i < SKIPPED_WORKLOADS_MAX + 2; i++) {
		snprintf(warning, sizeof(warning), "x: w%u_run0 is skipped: y", i);
		assert_int_equal(skipped_workloads_add(&skipped, 0, warning) != NULL, i < SKIPPED_WORKLOADS_MAX);
	}
	assert_int_equal(skipped_workloads_add(&skipped, 0, "x: w3_run0 is skipped: y")->boots, 2);
}
