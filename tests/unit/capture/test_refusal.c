/* SPDX-License-Identifier: MIT
 *
 * Which of two pages comes behind what a full buffer refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "capture/refusal.h"

/* The drain that made room began between 1000 and 1040, and had found what was refused by 1050. */
static const struct refusal refused = {.place = {.events = 9, .before_ns = 1050}, .least_ns = 1000, .most_ns = 1040};

static unsigned int page(uint64_t first_begin, uint64_t before_first, uint64_t second_begin, uint64_t before_second,
			 bool is_end)
{
	const struct page_border borders[2] = {{first_begin, before_first}, {second_begin, before_second}};

	return refusal_page(&refused, borders, is_end);
}

static void by_the_time_of_the_drain(void **state)
{
	(void)state;
	assert_int_equal(page(1040, 700, 0, 1200, false), 0);
	assert_int_equal(page(1040, 1039, 1300, 1200, true), 0);
	assert_int_equal(page(1000, 500, 1060, 1010, false), 1);
	assert_int_equal(page(1000, 500, 0, 1010, true), 1);
	/* There is no page yet, and there will be none. */
	assert_int_equal(page(0, 900, 0, 0, false), 0);
	assert_int_equal(page(0, 900, 0, 0, true), 0);
}

static void by_the_longer_silence(void **state)
{
	(void)state;
	assert_int_equal(page(1020, 700, 1030, 1029, false), 0);
	assert_int_equal(page(1020, 1019, 1060, 1030, false), 1);
	/* The second one can still come. */
	assert_int_equal(page(1020, 700, 0, 1030, false), 1);
}

static void at_the_end_there_is_no_second(void **state)
{
	(void)state;
	/* Its events go on after the look at the statistics, so nothing was refused behind them. */
	assert_int_equal(page(1020, 700, 0, 1066, true), 0);
	assert_int_equal(page(1020, 1020, 0, 1066, true), 0);
	assert_int_equal(page(1020, 1010, 0, 1030, true), 1);
	assert_int_equal(page(1020, 700, 0, 1030, true), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(by_the_time_of_the_drain),
	    cmocka_unit_test(by_the_longer_silence),
	    cmocka_unit_test(at_the_end_there_is_no_second),
	};

	return cmocka_run_group_tests_name("capture: refusals", tests, NULL, NULL);
}
