/* SPDX-License-Identifier: MIT
 *
 * Items are taken in order, whatever thread makes them; a failure is that of the first item that fails. */
#include <stdatomic.h>

#include "base/interrupt.h"
#include "base/ordered.h"
#include "support/unit.h"

enum { ITEMS = 200, NONE = ITEMS };

struct list {
	size_t made_bad, taken_bad; /* items that fail, or NONE */
	bool goes_on;               /* after an item that could not be made */
	size_t taken, window;
	atomic_size_t begun;
	atomic_size_t results[ITEMS];
};

static enum status make(void *context, size_t item, struct error *err)
{
	struct list *list = context;

	list->begun++;
	list->results[item] = item * item;
	/* Later items are often ready before earlier ones. No yield: on a busy machine each takes a turn of all others.
	 */
	for (volatile size_t i = 0; i < (ITEMS - item) % 7 * 5000; i++)
		;
	return item == list->made_bad ? error_set(err, STATUS_CORRUPT, "item", "%zu", item) : STATUS_OK;
}

static enum status take(void *context, size_t item, enum status made, struct error *err)
{
	struct list *list = context;

	assert_int_equal(item, list->taken);
	assert_int_equal(list->results[item], item * item);
	assert_in_range(list->begun, item + 1, item + list->window);
	list->taken++;
	if (item == list->taken_bad)
		return error_set(err, STATUS_LOST, "item", "%zu", item);
	assert_int_equal(made, item == list->made_bad ? STATUS_CORRUPT : STATUS_OK);
	if (made != STATUS_OK)
		assert_int_equal(err->status, made);
	return list->goes_on ? STATUS_OK : made;
}

static const struct ordered_work work = {.make = make, .take = take};

static void run(struct list *list, unsigned int jobs, enum status expected, struct error *err)
{
	struct ordered_work mine = work;

	mine.context = list;
	list->window = jobs > 1 ? 2 * (size_t)jobs : 1;
	list->taken = 0;
	list->begun = 0;
	assert_int_equal(ordered_run(&mine, ITEMS, jobs, err), expected);
}

static const unsigned int numbers_of_jobs[] = {0, 1, 2, 3, 8, ITEMS + 1};
enum { NUMBERS = sizeof(numbers_of_jobs) / sizeof(*numbers_of_jobs) };

TEST(every_item_is_taken_in_order)
{
	for (size_t i = 0; i < NUMBERS; i++) {
		struct list list = {.made_bad = NONE, .taken_bad = NONE};
		struct error err = {0};
		run(&list, numbers_of_jobs[i], STATUS_OK, &err);
		assert_int_equal(list.taken, ITEMS);
	}
}

TEST(the_first_failure_ends_the_work)
{
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

TEST(without_take_a_failure_ends_the_work)
{
	for (size_t i = 0; i < NUMBERS; i++) {
		struct list list = {.made_bad = 50};
		const struct ordered_work made_only = {.context = &list, .make = make};
		struct error err = {0};
		assert_int_equal(ordered_run(&made_only, ITEMS, numbers_of_jobs[i], &err), STATUS_CORRUPT);
		assert_string_equal(err.what, "50");
		list.made_bad = NONE;
		assert_int_equal(ordered_run(&made_only, ITEMS, numbers_of_jobs[i], &err), STATUS_OK);
		assert_int_equal(list.results[ITEMS - 1], (ITEMS - 1) * (ITEMS - 1));
	}
}

TEST(a_failure_can_be_passed_over)
{
	for (size_t i = 0; i < NUMBERS; i++) {
		struct list list = {.made_bad = 50, .taken_bad = NONE, .goes_on = true};
		struct error err = {0};
		run(&list, numbers_of_jobs[i], STATUS_OK, &err);
		assert_int_equal(list.taken, ITEMS);
	}
}

/* --- Parts of results --- */

struct parts {
	size_t bad_item, bad_part; /* cannot be taken, or NONE */
	size_t made_bad;           /* fails after it handed on its parts, or NONE */
	size_t item, part;         /* that come next */
	size_t ended;              /* items */
};

/* Fewer and more than are handed on ahead. */
static size_t parts_of(size_t item)
{
	return item % 5 * ORDERED_AHEAD / 2;
}

static enum status hand_on(void *context, size_t item, struct error *err)
{
	const struct parts *parts = context;
	struct buffer rows = {0};
	enum status status = STATUS_OK;

	for (size_t part = 0; part < parts_of(item) && status == STATUS_OK; part++) {
		buffer_printf(&rows, "%zu %zu", item, part);
		status = ordered_hand_on(&rows, part, err);
		buffer_clear(&rows);
	}
	buffer_free(&rows);
	if (status == STATUS_OK && item == parts->made_bad)
		return error_set(err, STATUS_CORRUPT, "item", "%zu", item);
	return status;
}

static enum status take_part(void *context, size_t item, const struct buffer *rows, uint64_t count, struct error *err)
{
	struct parts *parts = context;
	char expected[64];

	snprintf(expected, sizeof(expected), "%zu %zu", parts->item, parts->part);
	assert_int_equal(item, parts->item);
	assert_int_equal(count, parts->part);
	assert_string_equal(rows->data, expected);
	parts->part++;
	if (item == parts->bad_item && count == parts->bad_part)
		return error_set(err, STATUS_LOST, "part", "%zu", item);
	return STATUS_OK;
}

static enum status end_parts(void *context, size_t item, enum status made, struct error *err)
{
	struct parts *parts = context;

	(void)err;
	assert_int_equal(item, parts->item);
	if (made == STATUS_OK)
		assert_int_equal(parts->part, parts_of(item));
	parts->ended += made == STATUS_OK;
	parts->item++;
	parts->part = 0;
	return made;
}

static void run_parts(struct parts parts, enum status expected, size_t ended)
{
	for (size_t i = 0; i < NUMBERS; i++) {
		struct parts mine = parts;
		const struct ordered_work in_parts = {
		    .context = &mine, .make = hand_on, .take_rows = take_part, .take = end_parts};
		struct error err = {0};
		assert_int_equal(ordered_run(&in_parts, ITEMS, numbers_of_jobs[i], &err), expected);
		assert_int_equal(mine.ended, ended);
	}
}

TEST(parts_are_taken_in_order)
{
	run_parts((struct parts){.bad_item = NONE, .made_bad = NONE}, STATUS_OK, ITEMS);
}

TEST(a_part_that_cannot_be_taken_ends_the_work)
{
	run_parts((struct parts){.bad_item = 49, .bad_part = 3, .made_bad = 50}, STATUS_LOST, 49);
	run_parts((struct parts){.bad_item = 49, .bad_part = parts_of(49) - 1, .made_bad = 49}, STATUS_LOST, 49);
}

TEST(parts_come_before_a_failure)
{
	run_parts((struct parts){.bad_item = NONE, .made_bad = 54}, STATUS_CORRUPT, 54);
}

TEST(nothing_to_do)
{
	struct list list = {.made_bad = NONE, .taken_bad = NONE};
	struct ordered_work mine = work;
	struct error err = {0};

	mine.context = &list;
	assert_int_equal(ordered_run(&mine, 0, 4, &err), STATUS_OK);
	assert_int_equal(list.begun, 0);
}

static int begin(void **state)
{
	interrupt_catch();
	return 0;
}

TESTS_WITH(begin, NULL)
