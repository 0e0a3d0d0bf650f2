/* SPDX-License-Identifier: MIT
 *
 * Places where events were refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "record/tracefs/spool.h"

static void assert_place(const struct loss_log *log, size_t index, unsigned int cpu, uint64_t events, uint64_t after_ns,
			 uint64_t before_ns)
{
	assert_true(index < log->count);
	assert_int_equal(log->places[index].cpu, cpu);
	assert_int_equal(log->places[index].events, events);
	assert_int_equal(log->places[index].after_ns, after_ns);
	assert_int_equal(log->places[index].before_ns, before_ns);
}

static void add(struct loss_log *log, unsigned int cpu, uint64_t events, uint64_t after_ns, uint64_t before_ns)
{
	loss_log_add(log, &(struct loss_place){cpu, events, after_ns, before_ns});
}

static void keeps_places_of_each_cpu(void **state)
{
	struct loss_log log = {0};

	(void)state;
	add(&log, 0, 5, 100, 150);
	add(&log, 1, 7, 100, 151);
	add(&log, 0, 2, 300, 350);
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
	add(&log, 0, 5, 100, 150);
	add(&log, 1, 1, 100, 150);
	add(&log, 0, 6, 149, 200);
	add(&log, 0, 7, 199, 250);
	assert_int_equal(log.count, 2);
	assert_place(&log, 0, 0, 18, 100, 250);
	/* One event of the trace lies between these two. */
	add(&log, 0, 3, 250, 260);
	assert_int_equal(log.count, 3);
	loss_log_free(&log);
}

static void sorts_by_time(void **state)
{
	struct loss_log log = {0};

	(void)state;
	loss_log_sort(&log);
	add(&log, 1, 1, 500, 600);
	add(&log, 1, 2, 900, 910);
	add(&log, 0, 3, 500, 550);
	add(&log, 2, 4, 100, 950);
	loss_log_sort(&log);
	assert_place(&log, 0, 2, 4, 100, 950);
	assert_place(&log, 1, 0, 3, 500, 550);
	assert_place(&log, 2, 1, 1, 500, 600);
	assert_place(&log, 3, 1, 2, 900, 910);
	loss_log_free(&log);
}

static void stays_bounded_and_forgets_no_event(void **state)
{
	struct loss_log log = {0};
	uint64_t sum = 0;

	(void)state;
	for (uint64_t i = 0; i < LOSS_LOG_MAX + 500; i++)
		add(&log, (unsigned int)(i % 2), 3, 100 * i, 100 * i + 10);
	assert_int_equal(log.count, LOSS_LOG_MAX);
	for (size_t i = 0; i < log.count; i++)
		sum += log.places[i].events;
	assert_int_equal(sum, 3 * (LOSS_LOG_MAX + 500));
	assert_int_equal(log.places[log.count - 1].before_ns, 100 * (LOSS_LOG_MAX + 499) + 10);
	/* A CPU that had none before is told all the same. */
	add(&log, 9, 4, 1, 2);
	assert_place(&log, LOSS_LOG_MAX, 9, 4, 1, 2);
	loss_log_free(&log);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(keeps_places_of_each_cpu),
	    cmocka_unit_test(joins_neighbours),
	    cmocka_unit_test(sorts_by_time),
	    cmocka_unit_test(stays_bounded_and_forgets_no_event),
	};

	return cmocka_run_group_tests_name("capture: losses", tests, NULL, NULL);
}
