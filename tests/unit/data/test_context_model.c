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

#include "data/predict/context_answer.h"

static void learn(struct context_model *model, const char *text, uint32_t alphabet)
{
	uint32_t node = CONTEXT_ROOT;

	*model = (struct context_model){.alphabet = alphabet};
	for (; *text; text++)
		assert_true(context_model_count(model, &node, (uint32_t)*text));
	assert_true(context_model_finish(model));
}

/* The context of at most so many symbols after a history. */
static uint32_t node_after(const struct context_model *model, const char *history, uint32_t order)
{
	uint32_t node = CONTEXT_ROOT;

	for (; *history; history++)
		(void)context_model_follow(model, &node, (uint32_t)*history);
	return context_model_shorten(model, node, order);
}

static double probability(const struct context_model *model, enum context_method method, uint32_t node, uint32_t symbol)
{
	struct context_view view;

	context_view_set(&view, model, method, node);
	return context_probability(&view, context_model_find(model, node, symbol));
}

static double ppm(const struct context_model *model, uint32_t node, uint32_t symbol)
{
	return probability(model, CONTEXT_PPM, node, symbol);
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

	(void)state;
	learn(&model, "abracadabra", 256);
	uint32_t node = node_after(&model, "ra", 2);
	assert_near(ppm(&model, node, 'c'), 1.0 / 2);
	assert_near(ppm(&model, node, 'd'), 1.0 / 2 * 1 / 6);
	assert_near(ppm(&model, node, 't'), 1.0 / 2 * 3 / 6 * 5 / 12 * 1 / 251);
	context_model_free(&model);
}

/* By hand, the string "assanissimassa": order 0 gives a 4/19, and the escape has 5/19. */
static void assanissimassa(void **state)
{
	struct context_model model;

	(void)state;
	learn(&model, "assanissimassa", 6);
	assert_near(ppm(&model, CONTEXT_ROOT, 'a'), 4.0 / 19);
	assert_near(ppm(&model, CONTEXT_ROOT, 's'), 6.0 / 19);
	assert_near(ppm(&model, CONTEXT_ROOT, 'x'), 5.0 / 19);
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
		double sum = 0;
		learn(&model, cases[i].text, 256);
		uint32_t node = node_after(&model, cases[i].history, cases[i].order);
		for (const char *at = cases[i].symbols; *at; at++)
			sum += ppm(&model, node, (uint32_t)*at);
		for (size_t j = 0; j < 5; j++)
			assert_true(fabs(ppm(&model, node, (uint32_t)cases[i].symbols[j]) / sum - cases[i].shares[j]) <
				    1e-6);
		context_model_free(&model);
	}
}

static void probabilities_sum_to_one(void **state)
{
	static const char *const histories[] = {"", "a", "ra", "bra", "xyz", "cab"};
	struct context_model model;

	(void)state;
	learn(&model, "abracadabra", 6);
	for (size_t i = 0; i < sizeof(histories) / sizeof(*histories); i++)
		for (enum context_method method = 0; method < CONTEXT_METHODS; method++) {
			double sum = 0;
			for (const char *at = "abcdr?"; *at; at++)
				sum += probability(&model, method, node_after(&model, histories[i], 3), (uint32_t)*at);
			assert_near(sum, 1);
		}
	context_model_free(&model);
}

/* "abracadabra" after "bra": c once of once; without it (and the contexts "ra", "a") c is one symbol of eleven. */
static void markov_backs_off(void **state)
{
	struct context_model model;
	double of_order_0 = (1 + 1.0 / 6) / 12, of_order_1 = (1 + of_order_0) / 5, of_order_2 = (1 + of_order_1) / 2;

	(void)state;
	learn(&model, "abracadabra", 6);
	uint32_t node = node_after(&model, "bra", 3);
	assert_int_equal(model.nodes[node].order, 3);
	assert_near(probability(&model, CONTEXT_MARKOV1, node, 'c'), of_order_1);
	assert_near(probability(&model, CONTEXT_MARKOV2, node, 'c'), of_order_2);
	assert_near(probability(&model, CONTEXT_MARKOV3, node, 'c'), (1 + of_order_2) / 2);
	/* It never followed; nobody knows it. */
	assert_near(probability(&model, CONTEXT_MARKOV3, node, 'b'), (2 + (2 + 1.0 / 6) / 12) / 5 / 2 / 2);
	assert_near(probability(&model, CONTEXT_MARKOV3, node, 'x'), 1.0 / 6 / 12 / 5 / 2 / 2);
	context_model_free(&model);
}

/* A context that only the end of a text reached was followed by nothing: the shorter one is meant. */
static void the_end_of_a_text_is_no_context(void **state)
{
	struct context_model model;

	(void)state;
	learn(&model, "abcd", 5);
	assert_int_equal(model.nodes[node_after(&model, "abc", 3)].order, 3);
	assert_int_equal(node_after(&model, "abcd", 3), CONTEXT_ROOT);
	/* After an unknown symbol it begins anew. */
	assert_int_equal(model.nodes[node_after(&model, "xab", 3)].order, 2);
	assert_int_equal(model.nodes[node_after(&model, "axb", 3)].order, 1);
	context_model_free(&model);
}

static void find_best(const struct context_model *model, enum context_method method, uint32_t node,
		      struct context_answer *answer)
{
	struct context_view view;

	context_view_set(&view, model, method, node);
	context_best(&view, answer);
}

static void the_best_are_in_order(void **state)
{
	struct context_model model;
	struct context_answer answer;

	(void)state;
	learn(&model, "abracadabra", 6);
	uint32_t node = node_after(&model, "a", 3);
	find_best(&model, CONTEXT_MARKOV1, node, &answer);
	/* b follows a twice, c and d once, then a and r by their frequency. */
	assert_int_equal(answer.count, 5);
	for (unsigned int i = 0; i < 5; i++)
		assert_int_equal(answer.symbols[i], "bcdar"[i]);
	assert_near(answer.probability, probability(&model, CONTEXT_MARKOV1, node, 'b'));
	find_best(&model, CONTEXT_PPM, node, &answer);
	assert_int_equal(answer.symbols[0], 'b');
	assert_near(answer.probability, ppm(&model, node, 'b'));
	for (unsigned int i = 1; i < answer.count; i++)
		assert_true(ppm(&model, node, answer.symbols[i]) <=
			    ppm(&model, node, answer.symbols[i - 1]) * (1 + 1e-12));
	context_model_free(&model);
}

static void an_empty_model_knows_nothing(void **state)
{
	struct context_model model = {.alphabet = 4};
	struct context_answer answer;

	(void)state;
	assert_true(context_model_finish(&model));
	for (enum context_method method = 0; method < CONTEXT_METHODS; method++) {
		assert_near(probability(&model, method, node_after(&model, "ab", 3), 'a'), 0.25);
		find_best(&model, method, CONTEXT_ROOT, &answer);
		assert_int_equal(answer.count, 0);
	}
	context_model_free(&model);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(abracadabra),
	    cmocka_unit_test(assanissimassa),
	    cmocka_unit_test(as_idyom),
	    cmocka_unit_test(probabilities_sum_to_one),
	    cmocka_unit_test(markov_backs_off),
	    cmocka_unit_test(the_end_of_a_text_is_no_context),
	    cmocka_unit_test(the_best_are_in_order),
	    cmocka_unit_test(an_empty_model_knows_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
