/* SPDX-License-Identifier: MIT
 *
 * Predictions from the counts of contexts.
 *
 * Markov of order k with back-off: P_k(s) = (c + P_k-1(s)) / (n + 1), with c of n continuations of the context being s;
 * P_-1 is uniform over the alphabet; contexts that were not seen are skipped. PPM by method C with exclusion (Cleary
 * and Teahan, Unbounded length contexts for PPM, 1997): a context with d distinct continuations gives s the probability
 * c / (n + d) and escapes to the next shorter one with d / (n + d), which leaves the continuations of the longer one
 * out of its n. Both depend on the context and the symbol alone. Pure. */
#ifndef DATA_PREDICT_CONTEXT_ANSWER_H
#define DATA_PREDICT_CONTEXT_ANSWER_H

#include "data/predict/context_model.h"
#include "data/predict/scores.h"

#define CONTEXT_TOP 5

enum context_method { CONTEXT_MARKOV1, CONTEXT_MARKOV2, CONTEXT_MARKOV3, CONTEXT_PPM, CONTEXT_METHODS };

struct context_answer {
	uint32_t symbols[CONTEXT_TOP]; /* the most probable first */
	unsigned int count;
	double probability; /* of the first */
};

/* What a method makes of a context. */
struct context_view {
	const struct context_model *model;
	enum context_method method;
	uint32_t node, order; /* the context, or the shorter one of the method's order */
	double
	    factors[CONTEXT_ORDER_MAX + 1]; /* by the order of a symbol's entry: from its weight to its probability */
	double unseen;                      /* the probability of a symbol without an entry */
};
void context_view_set(struct context_view *view, const struct context_model *model, enum context_method method,
		      uint32_t node);

/* The probability of a symbol by its entry in the context or in a longer one (context_model_find()). */
static inline double context_probability(const struct context_view *view, uint32_t number)
{
	const struct context_entry *entries = view->model->entries;

	while (number != CONTEXT_NONE && entries[number].order > view->order)
		number = entries[number].shorter;
	if (number == CONTEXT_NONE)
		return view->unseen;
	const struct context_entry *entry = &entries[number];
	return view->factors[entry->order] * (view->method == CONTEXT_PPM ? entry->count : entry->markov);
}

/* The best symbols. Equally probable ones are in the order of the entries of their context. */
void context_best(const struct context_view *view, struct context_answer *answer);
/* Of an answer and the symbol that came: whether it is right, and how sure it was. */
struct prediction context_judge(const struct context_answer *answer, uint32_t symbol);

#endif
