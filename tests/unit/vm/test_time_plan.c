/* SPDX-License-Identifier: MIT
 *
 * The time that boots need: before the first one, and while they run. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "vm/launch/time_plan.h"

static struct boot_history history; /* a boot of 6.1 takes 10 s, a run of io 5 s */

static int prepare(void **state)
{
	static const struct duration boot = {"deterministic", "6.1", "", 0, 10},
				     io = {"deterministic", "6.1", "io", 0.1, 5};
	(void)state;

	history = (struct boot_history){0};
	boot_history_put(&history, &boot);
	boot_history_put(&history, &io);
	return 0;
}

static void plan_boots(struct time_plan *plan, const char *release, const char *workload, size_t count,
		       unsigned int jobs)
{
	const char *const workloads[] = {workload, NULL};
	const struct boot_content content = {
	    .mode = "deterministic", .release = release, .workloads = workloads, .runs = 2, .scale = 0.1};

	*plan = (struct time_plan){.jobs = jobs};
	for (size_t i = 0; i < count; i++)
		assert_true(time_plan_add(plan, &history, &content));
}

static void left(const struct time_plan *plan, double now_s, double expected_s)
{
	double found_s = time_plan_left(plan, now_s);

	assert_true(found_s > expected_s - 0.01 && found_s < expected_s + 0.01);
}

static void boots_run_one_after_the_other_or_side_by_side(void **state)
{
	struct time_plan plan;
	(void)state;

	plan_boots(&plan, "6.1", "io", 4, 1);
	assert_int_equal(plan.origin, DURATION_MEASURED);
	left(&plan, 0, 80);
	plan.jobs = 2;
	left(&plan, 0, 40);
	plan.jobs = 100;
	left(&plan, 0, 20); /* no less than one boot */
	time_plan_free(&plan);
	left(&plan, 0, 0);
}

static void the_boots_correct_the_estimate(void **state)
{
	struct time_plan plan;
	(void)state;

	plan_boots(&plan, "6.1", "io", 4, 1);
	time_plan_begin(&plan, 0, 100);
	left(&plan, 115, 65);
	left(&plan, 120, 60);
	left(&plan, 130, 90); /* it already took 30 s instead of 20 s */
	time_plan_end(&plan, 0, 140);
	left(&plan, 140, 120);
	time_plan_begin(&plan, 1, 140);
	left(&plan, 150, 110);
	for (size_t i = 1; i < 4; i++)
		time_plan_end(&plan, i, 200);
	left(&plan, 200, 0);
	time_plan_free(&plan);
}

static void boots_that_are_left_out_take_no_time(void **state)
{
	struct time_plan plan;
	char text[160];
	(void)state;

	plan_boots(&plan, "6.1", "io", 4, 1);
	time_plan_leave_out(&plan, 0);
	time_plan_leave_out(&plan, 2);
	left(&plan, 0, 40);
	time_plan_describe(&plan, text, sizeof(text));
	assert_non_null(strstr(text, "40 s (about 20 s per boot)"));
	time_plan_begin(&plan, 1, 100);
	time_plan_end(&plan, 1, 130);
	left(&plan, 130, 30);
	time_plan_free(&plan);
}

static void its_text_reports_the_origin(void **state)
{
	struct time_plan plan;
	char text[160];
	(void)state;

	plan_boots(&plan, "6.1", "io", 4, 1);
	time_plan_describe(&plan, text, sizeof(text));
	assert_non_null(strstr(text, "80 s (about 20 s per boot)"));
	assert_non_null(strstr(text, "as measured"));
	time_plan_free(&plan);
	plan_boots(&plan, "6.2", "io", 1, 1);
	time_plan_describe(&plan, text, sizeof(text));
	assert_null(strstr(text, "per boot"));
	assert_non_null(strstr(text, "other boots"));
	time_plan_free(&plan);
	history.count = 0;
	plan_boots(&plan, "6.1", "io", 10, 2);
	time_plan_describe(&plan, text, sizeof(text));
	assert_non_null(strstr(text, " min ("));
	assert_non_null(strstr(text, "not measured"));
	time_plan_free(&plan);
	prepare(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(boots_run_one_after_the_other_or_side_by_side),
	    cmocka_unit_test(the_boots_correct_the_estimate),
	    cmocka_unit_test(boots_that_are_left_out_take_no_time),
	    cmocka_unit_test(its_text_reports_the_origin),
	};

	return cmocka_run_group_tests(tests, prepare, NULL);
}
