/* SPDX-License-Identifier: MIT
 *
 * Items are taken in order, whatever thread makes them; a failure is that of the first item that fails. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/interrupt.h"
#include "jobs/ordered.h"

enum { ITEMS = 200, NONE = ITEMS };

struct list {
	size_t made_bad, taken_bad; /* items that fail, or NONE */
	bool goes_on;               /* after an item that could not be made */
	size_t taken, window;
	atomic_size_t begun;
	atomic_int results; /* that exist */
};

static enum status make(void *context, size_t item, void **result, struct error *err)
{
	struct list *list = context;
	size_t *number = malloc(sizeof(*number));

	assert_non_null(number);
	list->begun++;
	list->results++;
	*number = item * item;
	*result = number;
	/* Later items are often ready before earlier ones. No yield: on a busy machine each takes a turn of all others.
	 */
	for (volatile size_t i = 0; i < (ITEMS - item) % 7 * 5000; i++)
		;
	return item == list->made_bad ? error_set(err, STATUS_CORRUPT, "item", "%zu", item) : STATUS_OK;
}

static void drop(void *context, void *result)
{
	struct list *list = context;

	list->results--;
	free(result);
}

static enum status take(void *context, size_t item, void *result, enum status made, struct error *err)
{
	struct list *list = context;

	assert_int_equal(item, list->taken);
	assert_int_equal(*(size_t *)result, item * item);
	assert_in_range(list->begun, item + 1, item + list->window);
	drop(context, result);
	list->taken++;
	if (item == list->taken_bad)
		return error_set(err, STATUS_LOST, "item", "%zu", item);
	assert_int_equal(made, item == list->made_bad ? STATUS_CORRUPT : STATUS_OK);
	if (made != STATUS_OK)
		assert_int_equal(err->status, made);
	return list->goes_on ? STATUS_OK : made;
}

static const struct ordered_work work = {.make = make, .take = take, .drop = drop};

static void run(struct list *list, unsigned int jobs, enum status expected, struct error *err)
{
	struct ordered_work mine = work;

	mine.context = list;
	list->window = jobs > 1 ? 2 * (size_t)jobs : 1;
	list->taken = 0;
	list->begun = 0;
	assert_int_equal(ordered_run(&mine, ITEMS, jobs, err), expected);
	assert_int_equal(list->results, 0);
}

static const unsigned int numbers_of_jobs[] = {0, 1, 2, 3, 8, ITEMS + 1};
enum { NUMBERS = sizeof(numbers_of_jobs) / sizeof(*numbers_of_jobs) };

static void every_item_is_taken_in_order(void **state)
{
	(void)state;
	for (size_t i = 0; i < NUMBERS; i++) {
		struct list list = {.made_bad = NONE, .taken_bad = NONE};
		struct error err = {0};
		run(&list, numbers_of_jobs[i], STATUS_OK, &err);
		assert_int_equal(list.taken, ITEMS);
	}
}

static void the_first_failure_ends_the_work(void **state)
{
	(void)state;
	for (size_t i = 0; i < NUMBERS; i++) {
		struct list list = {.made_bad = 50, .taken_bad = NONE};
		struct error err = {0};
		run(&list, numbers_of_jobs[i], STATUS_CORRUPT, &err);
		assert_string_equal(err.what, "50");
		assert_int_equal(list.taken, 51);
		list = (struct list){.made_bad = 50, .taken_bad = 48};
		run(&list, numbers_of_jobs[i], STATUS_LOST, &err);
		assert_string_equal(err.what, "48");
		assert_int_equal(list.taken, 49);
	}
}

static void a_failure_can_be_passed_over(void **state)
{
	(void)state;
	for (size_t i = 0; i < NUMBERS; i++) {
		struct list list = {.made_bad = 50, .taken_bad = NONE, .goes_on = true};
		struct error err = {0};
		run(&list, numbers_of_jobs[i], STATUS_OK, &err);
		assert_int_equal(list.taken, ITEMS);
	}
}

static void nothing_to_do(void **state)
{
	struct list list = {.made_bad = NONE, .taken_bad = NONE};
	struct ordered_work mine = work;
	struct error err = {0};

	(void)state;
	mine.context = &list;
	assert_int_equal(ordered_run(&mine, 0, 4, &err), STATUS_OK);
	assert_int_equal(list.begun, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(every_item_is_taken_in_order),
	    cmocka_unit_test(the_first_failure_ends_the_work),
	    cmocka_unit_test(a_failure_can_be_passed_over),
	    cmocka_unit_test(nothing_to_do),
	};

	interrupt_catch();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
