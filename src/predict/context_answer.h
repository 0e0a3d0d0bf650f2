/* SPDX-License-Identifier: MIT
 *
 * Predictions from the counts of contexts.
 *
 * Markov of order k with back-off: P_k(s) = (c + P_k-1(s)) / (n + 1), with c of n continuations of the context being s;
 * P_-1 is uniform over the alphabet; contexts that were not seen are skipped. PPM by method C with exclusion (Cleary
 * and Teahan, Unbounded length contexts for PPM, 1997): a context with d distinct continuations gives s the probability
 * c / (n + d) and escapes to the next shorter one with d / (n + d), which leaves the continuations of the longer one
 * out of its n. Both depend on the context and the symbol alone. Pure. */
#ifndef PREDICT_CONTEXT_ANSWER_H
#define PREDICT_CONTEXT_ANSWER_H

#include "predict/context_model.h"
#include "predict/scores.h"

#define CONTEXT_TOP 5

enum context_method { CONTEXT_MARKOV1, CONTEXT_MARKOV2, CONTEXT_MARKOV3, CONTEXT_PPM, CONTEXT_METHODS };

struct context_answer {
	uint32_t symbols[CONTEXT_TOP]; /* the most probable first */
	unsigned int count;
	double probability; /* of the first */
};

/* The probability of a symbol after a context, whose longest one that was followed by the symbol has this entry
 * (context_model_find()). */
double context_probability(const struct context_model *model, enum context_method method, uint32_t node,
			   uint32_t entry);
/* The best symbols after a context. Equally probable ones are in the order of the entries of their context. */
void context_best(const struct context_model *model, enum context_method method, uint32_t node,
		  struct context_answer *answer);
/* Of an answer and the symbol that came: whether it is right, and how sure it was. */
struct prediction context_judge(const struct context_answer *answer, uint32_t symbol);

#endif
