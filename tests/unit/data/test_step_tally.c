/* SPDX-License-Identifier: MIT
 *
 * A tally has each distinct step once, with its rows, whether its symbol followed its node or not. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "data/predict/step_tally.h"

static void learn(struct context_model *model, const char *text, uint32_t alphabet)
{
	uint32_t node = CONTEXT_ROOT;

	*model = (struct context_model){.alphabet = alphabet};
	for (; *text; text++)
		assert_true(context_model_count(model, &node, (uint32_t)*text));
	assert_true(context_model_finish(model));
}

/* Adds a text, of which every third row has a choice. */
static void add(struct step_tally *tally, const struct context_model *model, const char *text)
{
	uint32_t node = CONTEXT_ROOT;

	for (size_t i = 0; text[i]; i++) {
		struct lanes_step step = {.node = node};
		step.entry = context_model_follow(model, &node, (uint32_t)text[i]);
		assert_true(step_tally_add(tally, model, &step, i % 3 == 0));
	}
}

static struct tally_count total(const struct step_tally *tally, const struct context_model *model)
{
	struct tally_count sum = {0, 0}, count;

	for (uint32_t i = 0; i < tally->entries.touched_count + tally->others.touched_count; i++) {
		const struct lanes_step step = step_tally_at(tally, model, i, &count);
		assert_true(step.node < model->node_count);
		sum.any += count.any;
		sum.choice += count.choice;
	}
	return sum;
}

static void each_step_is_counted_once(void **state)
{
	struct context_model model;
	struct step_tally tally = {.slots = NULL};
	struct tally_count count;

	(void)state;
	learn(&model, "abcabcabd", 5);
	add(&tally, &model, "abcabcaxab");
	/* root a, a b, ab c, abc a, bca b, cab c, abc a; then bca x, root a, a b. */
	assert_int_equal(tally.entries.touched_count, 6);
	assert_int_equal(tally.others.touched_count, 1);
	count = total(&tally, &model);
	assert_int_equal(count.any, 10);
	assert_int_equal(count.choice, 4);
	const struct lanes_step unseen = step_tally_at(&tally, &model, 6, &count);
	assert_int_equal(unseen.entry, CONTEXT_NONE);
	assert_int_equal(count.any, 1);
	tally_sort(&tally.entries);
	assert_int_equal(total(&tally, &model).any, 10);
	step_tally_clear(&tally);
	assert_int_equal(total(&tally, &model).any, 0);
	add(&tally, &model, "ax");
	assert_int_equal(total(&tally, &model).any, 2);
	step_tally_free(&tally);
	context_model_free(&model);
}

static void there_is_room_until_it_is_full(void **state)
{
	struct context_model model;
	struct step_tally tally = {.slots = NULL};

	(void)state;
	learn(&model, "ab", 3);
	/* Steps that no text makes, all distinct. */
	for (uint32_t i = 0; i < TALLY_OTHERS_MAX; i++) {
		const struct lanes_step step = {.node = 1000 + i, .entry = CONTEXT_NONE};
		assert_true(step_tally_has_room(&tally, 1));
		for (int twice = 0; twice < 2; twice++)
			assert_true(step_tally_add(&tally, &model, &step, true));
	}
	assert_false(step_tally_has_room(&tally, 1));
	assert_int_equal(tally.others.touched_count, TALLY_OTHERS_MAX);
	step_tally_clear(&tally);
	assert_true(step_tally_has_room(&tally, TALLY_OTHERS_MAX));
	step_tally_free(&tally);
	context_model_free(&model);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(each_step_is_counted_once),
	    cmocka_unit_test(there_is_room_until_it_is_full),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
