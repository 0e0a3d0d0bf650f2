/* SPDX-License-Identifier: MIT
 *
 * Counts of what followed each context of up to three symbols, and predictions from them. Symbols are small numbers.
 *
 * Markov of order k with back-off: P_k(s) = (c + P_k-1(s)) / (n + 1), with c of n continuations of the context being s;
 * P_-1 is uniform over the alphabet; contexts that were not seen are skipped. PPM by method C with exclusion (Cleary
 * and Teahan, Unbounded length contexts for PPM, 1997): a context with d distinct continuations gives s the probability
 * c / (n + d) and escapes to the next shorter one with d / (n + d), which leaves the continuations of the longer one
 * out of its n. Pure. */
#ifndef PREDICT_CONTEXT_MODEL_H
#define PREDICT_CONTEXT_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CONTEXT_ORDER_MAX 3
#define CONTEXT_TOP       5
#define CONTEXT_NONE      UINT32_MAX

/* The latest symbols of a sequence; [0] is the last. */
struct context_history {
	uint32_t symbols[CONTEXT_ORDER_MAX];
	unsigned int length;
};
static inline void context_history_add(struct context_history *history, uint32_t symbol)
{
	for (unsigned int i = CONTEXT_ORDER_MAX - 1; i > 0; i--)
		history->symbols[i] = history->symbols[i - 1];
	history->symbols[0] = symbol;
	history->length += history->length < CONTEXT_ORDER_MAX;
}

struct context_entry {
	uint32_t node, symbol, count;
	uint32_t shorter; /* after context_model_finish(): the symbol's entry in the node's parent */
};

struct context_node {
	uint32_t parent, total, distinct;
	uint32_t first;  /* of its entries, after context_model_finish(); the most frequent first */
	uint64_t shared; /* what its continuations have in the parent */
};

/* Open addressing: (node, symbol) to a number. */
struct context_slot {
	uint32_t node, symbol;
	uint32_t value; /* plus 1; 0: the slot is free */
};
struct context_map {
	struct context_slot *slots;
	uint32_t count, mask;
};

/* A zeroed struct is empty. */
struct context_model {
	struct context_node *nodes;
	struct context_entry *entries; /* in the order of their first use, then as finish() sorts them */
	uint32_t node_count, node_capacity, entry_count, entry_capacity;
	struct context_map children, counts;
	uint32_t *root_entries, root_size; /* entry plus 1 of each symbol, after context_model_finish() */
	uint32_t alphabet; /* symbols in all, with one that stands for unseen ones; set it before predictions */
};

struct context_answer {
	uint32_t symbols[CONTEXT_TOP]; /* the most probable first */
	unsigned int count;
	double probability; /* of the first */
};

/* Counts a symbol after its history. False if memory ran out. */
bool context_model_add(struct context_model *model, const struct context_history *history, uint32_t symbol);
/* Ends the counting. False if memory ran out. */
bool context_model_finish(struct context_model *model);

/* After finish(): the contexts of a history that were seen, from the shortest. */
struct context_path {
	uint32_t nodes[CONTEXT_ORDER_MAX + 1];
	unsigned int length;
};
struct context_path context_find_path(const struct context_model *model, const struct context_history *history,
				      unsigned int order);
/* The probability of a symbol, and the best ones, by Markov of the path's order or by PPM. Of equally probable symbols,
 * that comes first which is more frequent in shorter contexts, then the lower number. */
double context_markov(const struct context_model *model, const struct context_path *path, uint32_t symbol);
void context_markov_best(const struct context_model *model, const struct context_path *path,
			 struct context_answer *answer);
double context_ppm(const struct context_model *model, const struct context_path *path, uint32_t symbol);
void context_ppm_best(const struct context_model *model, const struct context_path *path,
		      struct context_answer *answer);
void context_model_free(struct context_model *model);

#endif
