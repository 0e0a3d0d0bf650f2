/* SPDX-License-Identifier: MIT
 *
 * Places where events were refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "capture/loss_log.h"

static void assert_place(const struct loss_log *log, size_t index, unsigned int cpu, uint64_t events, uint64_t after_us,
			 uint64_t before_us)
{
	assert_true(index < log->count);
	assert_int_equal(log->places[index].cpu, cpu);
	assert_int_equal(log->places[index].events, events);
	assert_int_equal(log->places[index].after_us, after_us);
	assert_int_equal(log->places[index].before_us, before_us);
}

static void keeps_places_of_each_cpu(void **state)
{
	struct loss_log log = {0};

	(void)state;
	loss_log_add(&log, 0, 5, 100, 150);
	loss_log_add(&log, 1, 7, 100, 151);
	loss_log_add(&log, 0, 2, 300, 350);
	assert_int_equal(log.count, 3);
	assert_place(&log, 0, 0, 5, 100, 150);
	assert_place(&log, 1, 1, 7, 100, 151);
	assert_place(&log, 2, 0, 2, 300, 350);
	loss_log_free(&log);
	assert_int_equal(log.count, 0);
}

static void joins_neighbours(void **state)
{
	struct loss_log log = {0};

	(void)state;
	loss_log_add(&log, 0, 5, 100, 150);
	loss_log_add(&log, 1, 1, 100, 150);
	loss_log_add(&log, 0, 6, 150, 200);
	loss_log_add(&log, 0, 7, 199, 250);
	assert_int_equal(log.count, 2);
	assert_place(&log, 0, 0, 18, 100, 250);
	loss_log_free(&log);
}

static void stays_bounded_and_forgets_no_event(void **state)
{
	struct loss_log log = {0};
	uint64_t sum = 0;

	(void)state;
	for (uint64_t i = 0; i < LOSS_LOG_MOST + 500; i++)
		loss_log_add(&log, (unsigned int)(i % 2), 3, 100 * i, 100 * i + 10);
	assert_int_equal(log.count, LOSS_LOG_MOST);
	for (size_t i = 0; i < log.count; i++)
		sum += log.places[i].events;
	assert_int_equal(sum, 3 * (LOSS_LOG_MOST + 500));
	assert_int_equal(log.places[log.count - 1].before_us, 100 * (LOSS_LOG_MOST + 499) + 10);
	/* A CPU that had none before is told all the same. */
	loss_log_add(&log, 9, 4, 1, 2);
	assert_place(&log, LOSS_LOG_MOST, 9, 4, 1, 2);
	loss_log_free(&log);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(keeps_places_of_each_cpu),
	    cmocka_unit_test(joins_neighbours),
	    cmocka_unit_test(stays_bounded_and_forgets_no_event),
	};

	return cmocka_run_group_tests_name("capture: losses", tests, NULL, NULL);
}
