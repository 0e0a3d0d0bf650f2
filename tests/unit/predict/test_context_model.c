/* SPDX-License-Identifier: MIT
 *
 * PPM by method C against worked examples of the literature, and the ranking. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "predict/context_model.h"

static void learn(struct context_model *model, const char *text, unsigned int order, uint32_t alphabet)
{
	struct context_history history = {.length = 0};

	*model = (struct context_model){.alphabet = alphabet};
	for (; *text; text++) {
		struct context_history shown = history;
		shown.length = shown.length < order ? shown.length : order;
		assert_true(context_model_add(model, &shown, (uint32_t)*text));
		context_history_add(&history, (uint32_t)*text);
	}
	assert_true(context_model_finish(model));
}

static struct context_history history_of(const char *text)
{
	struct context_history history = {.length = 0};

	for (; *text; text++)
		context_history_add(&history, (uint32_t)*text);
	return history;
}

static double ppm(const struct context_model *model, const struct context_history *history, uint32_t symbol)
{
	const struct context_path path = context_find_path(model, history, CONTEXT_ORDER_MAX);

	return context_ppm(model, &path, symbol);
}

static double markov(const struct context_model *model, const struct context_history *history, unsigned int order,
		     uint32_t symbol)
{
	const struct context_path path = context_find_path(model, history, order);

	return context_markov(model, &path, symbol);
}

static void assert_near(double actual, double expected)
{
	assert_true(fabs(actual - expected) < 1e-12);
}

/* Cleary and Teahan, Unbounded length contexts for PPM, The Computer Journal 40 (1997), the model of "abracadabra" of
 * order 2 with 256 symbols: after "ra" come c with 1/2, d with 1/2 1/6, t with 1/2 3/6 5/12 1/251. */
static void abracadabra(void **state)
{
	struct context_model model;
	const struct context_history history = history_of("ra");

	(void)state;
	learn(&model, "abracadabra", 2, 256);
	assert_near(ppm(&model, &history, 'c'), 1.0 / 2);
	assert_near(ppm(&model, &history, 'd'), 1.0 / 2 * 1 / 6);
	assert_near(ppm(&model, &history, 't'), 1.0 / 2 * 3 / 6 * 5 / 12 * 1 / 251);
	context_model_free(&model);
}

/* By hand, the string "assanissimassa": order 0 gives a 4/19, and the escape has 5/19. */
static void assanissimassa(void **state)
{
	struct context_model model;
	const struct context_history none = {.length = 0};

	(void)state;
	learn(&model, "assanissimassa", 2, 6);
	assert_near(ppm(&model, &none, 'a'), 4.0 / 19);
	assert_near(ppm(&model, &none, 's'), 6.0 / 19);
	assert_near(ppm(&model, &none, 'x'), 5.0 / 19);
	context_model_free(&model);
}

/* What the test suite of IDyOM (github.com/mtpearce/idyom, testing/ppm-tests.lisp) expects of PPM-C with exclusion for
 * the examples of Cleary and Teahan and of Blelloch: shares among the symbols, which leave out the escape of order 0.
 */
static void as_idyom(void **state)
{
	static const struct {
		const char *text, *history, *symbols;
		unsigned int order;
		double shares[5];
	} cases[] = {
	    {"abracadabra", "ra", "abcdr", 2, {0.11627906, 0.18604651, 0.5581395, 0.093023255, 0.046511628}},
	    {"abracadabr", "br", "abcdr", 2, {0.6470587, 0.117647044, 0.058823522, 0.058823522, 0.117647044}},
	    {"assanissimass", "ass", "aimns", 3, {0.5675675, 0.18918918, 0.027027026, 0.027027026, 0.18918917}},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct context_model model;
		const struct context_history history = history_of(cases[i].history);
		double sum = 0;
		learn(&model, cases[i].text, cases[i].order, 256);
		for (const char *at = cases[i].symbols; *at; at++)
			sum += ppm(&model, &history, (uint32_t)*at);
		for (size_t j = 0; j < 5; j++)
			assert_true(fabs(ppm(&model, &history, (uint32_t)cases[i].symbols[j]) / sum -
					 cases[i].shares[j]) < 1e-6);
		context_model_free(&model);
	}
}

static void probabilities_sum_to_one(void **state)
{
	static const char *const histories[] = {"", "a", "ra", "bra", "xyz", "cab"};
	struct context_model model;

	(void)state;
	learn(&model, "abracadabra", CONTEXT_ORDER_MAX, 6);
	for (size_t i = 0; i < sizeof(histories) / sizeof(*histories); i++) {
		const struct context_history history = history_of(histories[i]);
		double by_ppm = 0, by_markov = 0;
		for (const char *at = "abcdr?"; *at; at++) {
			by_ppm += ppm(&model, &history, (uint32_t)*at);
			by_markov += markov(&model, &history, 3, (uint32_t)*at);
		}
		assert_near(by_ppm, 1);
		assert_near(by_markov, 1);
	}
	context_model_free(&model);
}

static void the_best_are_in_order(void **state)
{
	struct context_model model;
	struct context_answer answer;
	const struct context_history history = history_of("a");

	(void)state;
	learn(&model, "abracadabra", CONTEXT_ORDER_MAX, 6);
	const struct context_path first = context_find_path(&model, &history, 1);
	const struct context_path path = context_find_path(&model, &history, CONTEXT_ORDER_MAX);
	context_markov_best(&model, &first, &answer);
	/* b follows a twice, c and d once, then a and r by their frequency. */
	assert_int_equal(answer.count, 5);
	for (unsigned int i = 0; i < 5; i++)
		assert_int_equal(answer.symbols[i], "bcdar"[i]);
	assert_near(answer.probability, markov(&model, &history, 1, 'b'));
	context_ppm_best(&model, &path, &answer);
	assert_int_equal(answer.symbols[0], 'b');
	assert_near(answer.probability, ppm(&model, &history, 'b'));
	for (unsigned int i = 1; i < answer.count; i++)
		assert_true(ppm(&model, &history, answer.symbols[i]) <=
			    ppm(&model, &history, answer.symbols[i - 1]) * (1 + 1e-12));
	context_model_free(&model);
}

static void an_empty_model_knows_nothing(void **state)
{
	struct context_model model = {.alphabet = 4};
	const struct context_history history = history_of("ab");
	struct context_answer answer;

	(void)state;
	assert_true(context_model_finish(&model));
	assert_near(ppm(&model, &history, 'a'), 0.25);
	assert_near(markov(&model, &history, 2, 'a'), 0.25);
	const struct context_path path = context_find_path(&model, &history, CONTEXT_ORDER_MAX);
	context_ppm_best(&model, &path, &answer);
	assert_int_equal(answer.count, 0);
	context_markov_best(&model, &path, &answer);
	assert_int_equal(answer.count, 0);
	context_model_free(&model);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(abracadabra),
	    cmocka_unit_test(assanissimassa),
	    cmocka_unit_test(as_idyom),
	    cmocka_unit_test(probabilities_sum_to_one),
	    cmocka_unit_test(the_best_are_in_order),
	    cmocka_unit_test(an_empty_model_knows_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
