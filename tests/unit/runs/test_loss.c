/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "runs/loss.h"

static void check_text(const struct loss *loss, const char *expected)
{
	struct buffer text = {0};

	loss_describe(loss, &text);
	assert_string_equal(text.data, expected);
	buffer_free(&text);
}

static void the_larger_figure_of_a_cpu_counts(void **state)
{
	struct loss loss = {0};

	(void)state;
	assert_false(loss_any(&loss));
	assert_true(loss_add(&loss, true, 3, 10));
	assert_true(loss_add(&loss, true, 0, 0));
	assert_true(loss_add(&loss, true, 3, 7));
	assert_true(loss_add(&loss, false, 0, 5));
	assert_true(loss_add(&loss, true, 3, 12));
	assert_true(loss_any(&loss));
	assert_int_equal(loss_events(&loss), 17);
	check_text(&loss,
		   "17 events (12 on CPU 3, an unknown number on CPU 0, 5 on a CPU that the trace does not name)");
	loss_free(&loss);
	assert_false(loss_any(&loss));
}

static void texts_fit_their_number(void **state)
{
	struct loss loss = {.incomplete = true};

	(void)state;
	assert_true(loss_any(&loss));
	check_text(&loss, "the end of the trace");
	assert_true(loss_add(&loss, true, 1, 1));
	check_text(&loss, "1 event (1 on CPU 1) and the end of the trace");
	loss_free(&loss);
	assert_true(loss_add(&loss, true, 1, 0));
	check_text(&loss, "events (an unknown number on CPU 1)");
	loss_free(&loss);
}

static void losses_in_the_trace_have_times(void **state)
{
	const struct loss_cpu reported[] = {
	    {.cpu = 2, .events = 5, .places = 1, .after_ns = 8100000999, .before_ns = 8200000000},
	    {.cpu = 3, .places = 4, .after_ns = 0, .before_ns = 1000},
	};
	struct loss loss = {0};

	(void)state;
	for (size_t i = 0; i < 2; i++)
		assert_true(loss_add_places(&loss, &reported[i]));
	check_text(&loss,
		   "5 events (5 on CPU 2 between 8.100000 and 8.200000 s, an unknown number on CPU 3 at 4 places "
		   "before 0.000001 s)");
	loss_free(&loss);
}

static void many_cpus_are_bounded(void **state)
{
	struct loss loss = {0};

	(void)state;
	for (uint32_t cpu = 0; cpu < 3000; cpu++)
		assert_true(loss_add(&loss, true, cpu, UINT64_MAX));
	assert_true(loss.cpu_count <= LOSS_CPUS_MAX + 1);
	assert_int_equal(loss_events(&loss), UINT64_MAX);
	loss_free(&loss);
	for (uint32_t cpu = 0; cpu < 10; cpu++)
		assert_true(loss_add(&loss, true, cpu, 1));
	check_text(&loss,
		   "10 events (1 on CPU 0, 1 on CPU 1, 1 on CPU 2, 1 on CPU 3, 1 on CPU 4, 1 on CPU 5, 1 on CPU 6, "
		   "1 on CPU 7, and on 2 more CPUs)");
	loss_free(&loss);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(the_larger_figure_of_a_cpu_counts),
	    cmocka_unit_test(texts_fit_their_number),
	    cmocka_unit_test(losses_in_the_trace_have_times),
	    cmocka_unit_test(many_cpus_are_bounded),
	};

	return cmocka_run_group_tests_name("loss", tests, NULL, NULL);
}
