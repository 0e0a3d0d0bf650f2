/* SPDX-License-Identifier: MIT */
#include "predict/context_answer.h"

static uint32_t order_of(enum context_method method)
{
	return method == CONTEXT_PPM ? CONTEXT_ORDER_MAX : (uint32_t)method + 1;
}

/* --- Markov --- */

/* The symbol's entry in the node or in the longest shorter context that has one. */
static uint32_t entry_within(const struct context_model *model, uint32_t entry, uint32_t node)
{
	while (entry != CONTEXT_NONE && model->nodes[model->entries[entry].node].order > model->nodes[node].order)
		entry = model->entries[entry].shorter;
	return entry;
}

static double markov(const struct context_model *model, uint32_t node, uint32_t entry)
{
	uint32_t totals[CONTEXT_ORDER_MAX + 1];
	unsigned int levels = 0;
	uint32_t holder = entry == CONTEXT_NONE ? CONTEXT_NONE : model->entries[entry].node;

	for (; node != holder; node = model->nodes[node].parent)
		totals[levels++] = model->nodes[node].total;
	double probability = entry == CONTEXT_NONE ? 1.0 / model->alphabet : model->entries[entry].markov;
	while (levels-- > 0)
		probability /= (double)totals[levels] + 1;
	return probability;
}

static bool has_answer(const struct context_answer *answer, uint32_t symbol)
{
	for (unsigned int i = 0; i < answer->count; i++)
		if (answer->symbols[i] == symbol)
			return true;
	return false;
}

static void markov_best(const struct context_model *model, uint32_t node, struct context_answer *answer)
{
	uint32_t longest = node;

	answer->count = 0;
	for (; node != CONTEXT_NONE && answer->count < CONTEXT_TOP; node = model->nodes[node].parent) {
		uint32_t first = model->nodes[node].first, end = first + model->nodes[node].distinct;
		for (uint32_t i = first; i < end && answer->count < CONTEXT_TOP; i++) {
			/* The longer context's are all in the answer. */
			if (has_answer(answer, model->entries[i].symbol))
				continue;
			if (!answer->count)
				answer->probability = markov(model, longest, i);
			answer->symbols[answer->count++] = model->entries[i].symbol;
		}
	}
}

/* --- PPM --- */

/* What a context divides by: its continuations that the longer one (CONTEXT_NONE: there is none) lacks, and the
 * escape. */
static double ppm_divisor(const struct context_model *model, uint32_t node, uint32_t longer)
{
	uint64_t excluded = longer == CONTEXT_NONE ? 0 : model->nodes[longer].shared;

	return (double)(model->nodes[node].total - excluded) + model->nodes[node].distinct;
}

static double ppm(const struct context_model *model, uint32_t node, uint32_t entry)
{
	uint32_t holder = entry == CONTEXT_NONE ? CONTEXT_NONE : model->entries[entry].node;
	uint32_t longer = CONTEXT_NONE, seen = model->nodes[CONTEXT_ROOT].distinct;
	double escape = 1;

	for (; node != holder; longer = node, node = model->nodes[node].parent)
		if (model->nodes[node].distinct)
			escape *= model->nodes[node].distinct / ppm_divisor(model, node, longer);
	if (entry != CONTEXT_NONE)
		return escape * model->entries[entry].count / ppm_divisor(model, node, longer);
	return model->alphabet > seen ? escape / (model->alphabet - seen) : 0;
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

static void ppm_best(const struct context_model *model, uint32_t node, struct context_answer *answer)
{
	double probabilities[CONTEXT_TOP];
	uint32_t longer = CONTEXT_NONE;
	double escape = 1;

	answer->count = 0;
	for (; node != CONTEXT_NONE; longer = node, node = model->nodes[node].parent) {
		uint32_t first = model->nodes[node].first, distinct = model->nodes[node].distinct;
		double divisor = ppm_divisor(model, node, longer);
		/* Their counts descend, and so do their probabilities. */
		for (uint32_t i = first; i < first + distinct; i++) {
			const struct context_entry *entry = &model->entries[i];
			double probability = escape * entry->count / divisor;
			if (answer->count == CONTEXT_TOP && probability <= probabilities[CONTEXT_TOP - 1])
				break;
			/* The longer context excludes it. */
			if (longer != CONTEXT_NONE &&
			    context_model_find_in(model, longer, entry->symbol) != CONTEXT_NONE)
				continue;
			if (!offer(answer, probabilities, entry->symbol, probability))
				break;
		}
		escape *= distinct / divisor;
	}
	if (answer->count)
		answer->probability = probabilities[0];
}

/* --- Both --- */

double context_probability(const struct context_model *model, enum context_method method, uint32_t node, uint32_t entry)
{
	if (method == CONTEXT_PPM)
		return ppm(model, node, entry);
	uint32_t shorter = context_model_shorten(model, node, order_of(method));
	return markov(model, shorter, entry_within(model, entry, shorter));
}

void context_best(const struct context_model *model, enum context_method method, uint32_t node,
		  struct context_answer *answer)
{
	if (method == CONTEXT_PPM)
		ppm_best(model, node, answer);
	else
		markov_best(model, context_model_shorten(model, node, order_of(method)), answer);
}

struct prediction context_judge(const struct context_answer *answer, uint32_t symbol)
{
	return (struct prediction){
	    .right = answer->count && answer->symbols[0] == symbol,
	    .right_in_5 = has_answer(answer, symbol),
	    .of_best = answer->count ? answer->probability : 0,
	};
}
