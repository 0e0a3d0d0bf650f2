/* SPDX-License-Identifier: MIT
 *
 * How long the rest of a collection takes, with the real table of workloads. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "record/time_left.h"
#include "workloads/table.h"

static const struct workload *workloads[3];

static struct collection_plan plan_for(const char *first, const char *second)
{
	workloads[0] = workload_find(first);
	workloads[1] = second ? workload_find(second) : NULL;
	assert_non_null(workloads[0]);
	return (struct collection_plan){
	    .workloads = workloads, .workload_count = second ? 2 : 1, .runs = 3, .scale = 1};
}

static void knows_timed_workloads_beforehand(void **state)
{
	struct collection_plan plan = plan_for("cpu_bound_4p", "io_mixed");
	struct time_left left = {0};

	(void)state;
	/* 10 s and what comes before and after, six times */
	assert_float_equal(time_left_estimate(&left, &plan, 0, 0, 0), 6 * 11.5, 1e-9);
	assert_float_equal(time_left_estimate(&left, &plan, 0, 2, 4), 4 * 11.5 - 4, 1e-9);
	assert_float_equal(time_left_estimate(&left, &plan, 1, 2, 5), 11.5 - 5, 1e-9);
	assert_float_equal(time_left_estimate(&left, &plan, 1, 2, 100), 0, 1e-9);
	plan.scale = 0.1;
	assert_float_equal(time_left_estimate(&left, &plan, 0, 0, 0), 6 * 2.5, 1e-9);
	plan.duration_s = 3;
	assert_float_equal(time_left_estimate(&left, &plan, 0, 0, 0), 6 * 4.5, 1e-9);
}

static void learns_what_fixed_work_takes(void **state)
{
	struct collection_plan plan = plan_for("hackbench_pipe_small", "hackbench_pipe_large");
	struct time_left left = {0};

	(void)state;
	assert_true(time_left_estimate(&left, &plan, 0, 0, 0) < 0);
	/* 4 groups of 3000 loops in 6 s: 8 groups of 5000 loops are 10/3 of that */
	time_left_learn(&left, &plan, 0, 7.5);
	assert_float_equal(time_left_estimate(&left, &plan, 0, 1, 0), 2 * 7.5 + 3 * (20 + 1.5), 1e-6);
	/* measured is better than reckoned */
	time_left_learn(&left, &plan, 1, 30);
	assert_float_equal(time_left_estimate(&left, &plan, 1, 1, 10), 2 * 30 - 10, 1e-6);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(knows_timed_workloads_beforehand),
	    cmocka_unit_test(learns_what_fixed_work_takes),
	};

	return cmocka_run_group_tests_name("time left", tests, NULL, NULL);
}
