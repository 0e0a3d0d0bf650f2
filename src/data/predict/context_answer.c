/* SPDX-License-Identifier: MIT */
#include "data/predict/context_answer.h"

/* --- Views --- */

/* A context that lacks the symbol only adds one to what is divided by. */
static void view_markov(struct context_view *view)
{
	const struct context_node *nodes = view->model->nodes;
	double factor = 1;

	for (uint32_t node = view->node; node != CONTEXT_NONE; node = nodes[node].parent) {
		view->factors[nodes[node].order] = factor;
		factor *= nodes[node].per_markov;
	}
	view->unseen = factor / view->model->alphabet;
}

static void view_ppm(struct context_view *view)
{
	const struct context_node *nodes = view->model->nodes;
	uint32_t seen = nodes[CONTEXT_ROOT].distinct;
	double escape = 1, per = nodes[view->node].per_ppm;

	for (uint32_t node = view->node; node != CONTEXT_NONE && seen; node = nodes[node].parent) {
		view->factors[nodes[node].order] = escape * per;
		escape *= nodes[node].distinct * per;
		per = nodes[node].per_ppm_of_parent;
	}
	view->unseen = view->model->alphabet > seen ? escape / (view->model->alphabet - seen) : 0;
}

void context_view_set(struct context_view *view, const struct context_model *model, enum context_method method,
		      uint32_t node)
{
	view->model = model;
	view->method = method;
	view->node =
	    context_model_shorten(model, node, method == CONTEXT_PPM ? CONTEXT_ORDER_MAX : (uint32_t)method + 1);
	view->order = model->nodes[view->node].order;
	if (method == CONTEXT_PPM)
		view_ppm(view);
	else
		view_markov(view);
}

/* --- Answers --- */

static bool has_answer(const struct context_answer *answer, uint32_t symbol)
{
	for (unsigned int i = 0; i < answer->count; i++)
		if (answer->symbols[i] == symbol)
			return true;
	return false;
}

static void markov_best(const struct context_view *view, struct context_answer *answer)
{
	const struct context_model *model = view->model;

	for (uint32_t node = view->node; node != CONTEXT_NONE; node = model->nodes[node].parent) {
		uint32_t first = model->nodes[node].first, end = first + model->nodes[node].distinct;
		for (uint32_t i = first; i < end && answer->count < CONTEXT_TOP; i++) {
			/* The longer context's are all in the answer. */
			if (has_answer(answer, model->entries[i].symbol))
				continue;
			if (!answer->count)
				answer->probability = context_probability(view, i);
			answer->symbols[answer->count++] = model->entries[i].symbol;
		}
	}
}

/* Keeps the answer sorted, and with it the probabilities; an equal one comes after those that are there. */
static bool offer(struct context_answer *answer, double probabilities[CONTEXT_TOP], uint32_t symbol, double probability)
{
	unsigned int at = answer->count;

	while (at > 0 && probability > probabilities[at - 1] * (1 + 1e-12))
		at--;
	if (at == CONTEXT_TOP)
		return false;
	answer->count += answer->count < CONTEXT_TOP;
	for (unsigned int i = answer->count - 1; i > at; i--) {
		answer->symbols[i] = answer->symbols[i - 1];
		probabilities[i] = probabilities[i - 1];
	}
	answer->symbols[at] = symbol;
	probabilities[at] = probability;
	return true;
}

static void ppm_best(const struct context_view *view, struct context_answer *answer)
{
	const struct context_model *model = view->model;
	double probabilities[CONTEXT_TOP];
	uint32_t longer = CONTEXT_NONE;

	for (uint32_t node = view->node; node != CONTEXT_NONE; longer = node, node = model->nodes[node].parent) {
		uint32_t first = model->nodes[node].first, end = first + model->nodes[node].distinct;
		/* Their counts descend, and so do their probabilities. */
		for (uint32_t i = first; i < end; i++) {
			double probability = context_probability(view, i);
			uint32_t symbol = model->entries[i].symbol;
			if (answer->count == CONTEXT_TOP && probability <= probabilities[CONTEXT_TOP - 1])
				break;
			/* The longer context excludes it. */
			if (longer != CONTEXT_NONE && context_model_find_in(model, longer, symbol) != CONTEXT_NONE)
				continue;
			if (!offer(answer, probabilities, symbol, probability))
				break;
		}
	}
	if (answer->count)
		answer->probability = probabilities[0];
}

void context_best(const struct context_view *view, struct context_answer *answer)
{
	answer->count = 0;
	if (view->method == CONTEXT_PPM)
		ppm_best(view, answer);
	else
		markov_best(view, answer);
}

struct prediction context_judge(const struct context_answer *answer, uint32_t symbol)
{
	return (struct prediction){
	    .right = answer->count && answer->symbols[0] == symbol,
	    .right_in_5 = has_answer(answer, symbol),
	    .of_best = answer->count ? answer->probability : 0,
	};
}
