/* SPDX-License-Identifier: MIT
 *
 * The contexts of a sequence of symbols that goes on in lanes, such as CPUs, each with its own history. Every trace
 * begins anew. */
#ifndef DATA_PREDICT_LANES_H
#define DATA_PREDICT_LANES_H

#include "data/predict/context_model.h"

/* A zeroed struct is empty. */
struct lanes {
	struct context_model model;
	uint32_t *nodes; /* by lane: its longest context */
	uint32_t count;
	uint32_t trace; /* number plus 1 */
};

struct lanes_place {
	uint32_t trace, lane;
};

/* Counts a symbol of train.csv. False if memory ran out. */
bool lanes_learn(struct lanes *lanes, struct lanes_place place, uint32_t symbol);
/* Ends the learning. */
bool lanes_finish(struct lanes *lanes, uint32_t alphabet);
/* What a symbol followed, after finish(). */
struct lanes_step {
	uint32_t node;  /* the context before the symbol */
	uint32_t entry; /* as context_model_follow() */
};
/* False if memory ran out. */
bool lanes_follow(struct lanes *lanes, struct lanes_place place, uint32_t symbol, struct lanes_step *step);
void lanes_free(struct lanes *lanes);

#endif
