/* SPDX-License-Identifier: MIT
 *
 * Counts of what followed each context of up to three symbols. Symbols are small numbers.
 *
 * Contexts are the nodes of a graph. An entry is a symbol that followed a context. It knows the same symbol's entry
 * after the context that is one shorter, and the context that the sequence is in after the symbol. So a place in a
 * sequence is one node, its longest context; counting or following a symbol is one look-up; and what is counted at the
 * longest context is added to the shorter ones once, at the end. Pure. */
#ifndef DATA_PREDICT_CONTEXT_MODEL_H
#define DATA_PREDICT_CONTEXT_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CONTEXT_ORDER_MAX 3
#define CONTEXT_NONE      UINT32_MAX
#define CONTEXT_ROOT      0u /* the empty context, in which each sequence begins */

struct context_entry {
	uint32_t node, symbol, count;
	uint32_t shorter; /* in the node's parent, or CONTEXT_NONE */
	uint32_t next;    /* the node after the symbol; in the end one that was followed by something */
	/* After context_model_finish(). */
	uint32_t order; /* of the node */
	double markov;  /* the symbol's probability in the node, with back-off (data/predict/context_answer.h) */
};

struct context_node {
	uint32_t parent; /* the context without its oldest symbol; CONTEXT_NONE: this is the root */
	uint32_t order;  /* number of symbols */
	/* After context_model_finish(). */
	uint32_t total, distinct; /* of its continuations */
	uint32_t first;           /* of its entries, the most frequent first; of equal ones that which is more frequent
				   * in shorter contexts, then the lower number */
	uint64_t shared;          /* what its continuations have in the parent */
	/* What is divided by, inverted, as data/predict/context_answer.h explains: by Markov, and by PPM here, and in
	 * the parent after an escape from here. */
	double per_markov, per_ppm, per_ppm_of_parent;
};

/* A zeroed struct is empty. */
struct context_model {
	struct context_node *nodes; /* parents come before their children */
	struct context_entry *entries;
	uint32_t node_count, node_capacity, entry_count, entry_capacity;
	uint32_t *slots; /* open addressing: (node, symbol) to the entry plus 1 */
	uint32_t slot_mask;
	uint32_t *root_entries; /* after context_model_finish(): by symbol, plus 1 */
	uint32_t root_size;
	/* Symbols in all, with one that stands for unseen ones; set it before context_model_finish(). */
	uint32_t alphabet;
};

/* Counts a symbol after the context *node, which becomes that of the next symbol. False if memory ran out. */
bool context_model_count(struct context_model *model, uint32_t *node, uint32_t symbol);
/* Ends the counting. False if memory ran out. */
bool context_model_finish(struct context_model *model);

/* After finish(), for new sequences. *node is the longest context of the place that was followed by something. Returns
 * the symbol's entry in the longest context that has one, or CONTEXT_NONE; *node becomes that of the next symbol. */
uint32_t context_model_follow(const struct context_model *model, uint32_t *node, uint32_t symbol);
/* The same without going on; and only in the node itself, which is the root or was followed by something. */
uint32_t context_model_find(const struct context_model *model, uint32_t node, uint32_t symbol);
uint32_t context_model_find_in(const struct context_model *model, uint32_t node, uint32_t symbol);
/* The node, or if nothing followed it the longest shorter one that something followed. */
uint32_t context_model_seen(const struct context_model *model, uint32_t node);
/* The node, or the shorter one of this order. */
uint32_t context_model_shorten(const struct context_model *model, uint32_t node, uint32_t order);
void context_model_free(struct context_model *model);

#endif
