/* SPDX-License-Identifier: MIT */
#include "predict/context_model.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"

#define MAP_MIN 1024u

/* --- (node, symbol) to a number --- */

static uint64_t key_of(uint32_t node, uint32_t symbol)
{
	return (uint64_t)node << 32 | symbol;
}

static uint32_t find_slot(const struct context_map *map, uint64_t key)
{
	uint32_t at = (uint32_t)hash_words(key, 0) & map->mask;

	while (map->values[at] && map->keys[at] != key)
		at = (at + 1) & map->mask;
	return at;
}

static bool grow_map(struct context_map *map)
{
	uint32_t size = map->values ? 2 * (map->mask + 1) : MAP_MIN;
	struct context_map grown = {calloc(size, sizeof(uint64_t)), calloc(size, sizeof(uint32_t)), map->count,
				    size - 1};

	if (!grown.keys || !grown.values || !size) {
		free(grown.keys);
		free(grown.values);
		return false;
	}
	for (uint32_t i = 0; map->values && i <= map->mask; i++) {
		if (!map->values[i])
			continue;
		uint32_t at = find_slot(&grown, map->keys[i]);
		grown.keys[at] = map->keys[i];
		grown.values[at] = map->values[i];
	}
	free(map->keys);
	free(map->values);
	*map = grown;
	return true;
}

/* The number of the key, or CONTEXT_NONE. */
static uint32_t map_find(const struct context_map *map, uint32_t node, uint32_t symbol)
{
	if (!map->values)
		return CONTEXT_NONE;
	uint32_t at = find_slot(map, key_of(node, symbol));
	return map->values[at] ? map->values[at] - 1 : CONTEXT_NONE;
}

/* The number of the key, which is value if it is new. CONTEXT_NONE if memory ran out. */
static uint32_t map_number(struct context_map *map, uint32_t node, uint32_t symbol, uint32_t value)
{
	if ((!map->values || 2 * map->count > map->mask) && !grow_map(map))
		return CONTEXT_NONE;
	uint32_t at = find_slot(map, key_of(node, symbol));
	if (!map->values[at]) {
		map->keys[at] = key_of(node, symbol);
		map->values[at] = value + 1;
		map->count++;
	}
	return map->values[at] - 1;
}

/* --- Counting --- */

static bool make_room(void **items, uint32_t count, uint32_t *capacity, size_t size)
{
	if (count < *capacity)
		return true;
	uint32_t grown = *capacity ? 2 * *capacity : 256;
	void *moved = realloc(*items, grown * size);
	if (!moved)
		return false;
	*items = moved;
	*capacity = grown;
	return true;
}

static bool add_node(struct context_model *model, uint32_t parent)
{
	void *nodes = model->nodes;
	bool has_room = make_room(&nodes, model->node_count, &model->node_capacity, sizeof(*model->nodes));

	model->nodes = nodes;
	if (has_room)
		model->nodes[model->node_count++] = (struct context_node){.parent = parent};
	return has_room;
}

static bool count_in(struct context_model *model, uint32_t node, uint32_t symbol)
{
	uint32_t entry = map_number(&model->counts, node, symbol, model->entry_count);
	void *entries = model->entries;

	if (entry == CONTEXT_NONE ||
	    !make_room(&entries, model->entry_count, &model->entry_capacity, sizeof(*model->entries)))
		return false;
	model->entries = entries;
	if (entry == model->entry_count) {
		model->entries[model->entry_count++] = (struct context_entry){node, symbol, 0};
		model->nodes[node].distinct++;
	}
	model->entries[entry].count++;
	model->nodes[node].total++;
	return true;
}

bool context_model_add(struct context_model *model, const struct context_history *history, uint32_t symbol)
{
	uint32_t node = 0;

	hash_begin();
	if (!model->node_count && !add_node(model, CONTEXT_NONE))
		return false;
	for (unsigned int order = 0;; order++) {
		if (!count_in(model, node, symbol))
			return false;
		if (order == history->length)
			return true;
		uint32_t child = map_number(&model->children, node, history->symbols[order], model->node_count);
		if (child == CONTEXT_NONE || (child == model->node_count && !add_node(model, node)))
			return false;
		node = child;
	}
}

static uint32_t count_of(const struct context_model *model, uint32_t node, uint32_t symbol)
{
	uint32_t entry = map_find(&model->counts, node, symbol);

	return entry == CONTEXT_NONE ? 0 : model->entries[entry].count;
}

/* By node, then as the predictions rank them. */
static int compare_entries(const void *left, const void *right, void *context)
{
	const struct context_model *model = context;
	const struct context_entry *a = left, *b = right;

	if (a->node != b->node)
		return a->node < b->node ? -1 : 1;
	if (a->count != b->count)
		return a->count > b->count ? -1 : 1;
	for (uint32_t node = model->nodes[a->node].parent; node != CONTEXT_NONE; node = model->nodes[node].parent) {
		uint32_t in_a = count_of(model, node, a->symbol), in_b = count_of(model, node, b->symbol);
		if (in_a != in_b)
			return in_a > in_b ? -1 : 1;
	}
	return a->symbol < b->symbol ? -1 : a->symbol > b->symbol;
}

bool context_model_finish(struct context_model *model)
{
	uint32_t count = model->entry_count;
	struct context_entry *sorted = malloc((count + 1) * sizeof(*sorted));

	if (!sorted)
		return false;
	if (count)
		memcpy(sorted, model->entries, count * sizeof(*sorted));
	qsort_r(sorted, count, sizeof(*sorted), compare_entries, model);
	free(model->entries);
	model->entries = sorted;
	model->entry_capacity = count + 1;
	for (uint32_t i = count; i-- > 0;) {
		model->nodes[sorted[i].node].first = i;
		model->counts.values[find_slot(&model->counts, key_of(sorted[i].node, sorted[i].symbol))] = i + 1;
	}
	for (uint32_t i = 0; i < count; i++) {
		struct context_node *node = &model->nodes[sorted[i].node];
		if (node->parent != CONTEXT_NONE)
			node->shared += count_of(model, node->parent, sorted[i].symbol);
	}
	return true;
}

/* --- Predictions --- */

/* The nodes of the contexts that were seen, from the shortest; returns their count. */
static unsigned int find_path(const struct context_model *model, const struct context_history *history,
			      unsigned int order, uint32_t path[CONTEXT_ORDER_MAX + 1])
{
	unsigned int length = 1;

	if (!model->node_count)
		return 0;
	path[0] = 0;
	for (unsigned int i = 0; i < history->length && i < order; i++) {
		uint32_t child = map_find(&model->children, path[i], history->symbols[i]);
		if (child == CONTEXT_NONE)
			break;
		path[length++] = child;
	}
	return length;
}

static double markov_on_path(const struct context_model *model, const uint32_t *path, unsigned int length,
			     uint32_t symbol)
{
	double probability = 1.0 / model->alphabet;

	for (unsigned int i = 0; i < length; i++)
		probability =
		    (count_of(model, path[i], symbol) + probability) / ((double)model->nodes[path[i]].total + 1);
	return probability;
}

double context_markov(const struct context_model *model, const struct context_history *history, unsigned int order,
		      uint32_t symbol)
{
	uint32_t path[CONTEXT_ORDER_MAX + 1];
	unsigned int length = find_path(model, history, order, path);

	return markov_on_path(model, path, length, symbol);
}

void context_markov_best(const struct context_model *model, const struct context_history *history, unsigned int order,
			 struct context_answer *answer)
{
	uint32_t path[CONTEXT_ORDER_MAX + 1];
	unsigned int length = find_path(model, history, order, path);

	answer->count = 0;
	for (unsigned int level = length; level-- > 0;) {
		const struct context_node *node = &model->nodes[path[level]];
		for (uint32_t i = 0; i < node->distinct && answer->count < CONTEXT_TOP; i++) {
			uint32_t symbol = model->entries[node->first + i].symbol;
			if (level + 1 < length && count_of(model, path[level + 1], symbol))
				continue;
			answer->symbols[answer->count] = symbol;
			answer->probabilities[answer->count++] = markov_on_path(model, path, length, symbol);
		}
	}
}

/* What a context divides by: its continuations that the longer one lacks, and the escape. */
static double ppm_divisor(const struct context_model *model, const uint32_t *path, unsigned int level,
			  unsigned int length)
{
	const struct context_node *node = &model->nodes[path[level]];
	uint64_t excluded = level + 1 < length ? model->nodes[path[level + 1]].shared : 0;

	return (double)(node->total - excluded) + node->distinct;
}

double context_ppm(const struct context_model *model, const struct context_history *history, uint32_t symbol)
{
	uint32_t path[CONTEXT_ORDER_MAX + 1];
	unsigned int length = find_path(model, history, CONTEXT_ORDER_MAX, path);
	double escape = 1;

	for (unsigned int level = length; level-- > 0;) {
		double divisor = ppm_divisor(model, path, level, length);
		uint32_t count = count_of(model, path[level], symbol);
		if (count)
			return escape * count / divisor;
		escape *= model->nodes[path[level]].distinct / divisor;
	}
	uint32_t seen = length ? model->nodes[0].distinct : 0;
	return model->alphabet > seen ? escape / (model->alphabet - seen) : 0;
}

/* Keeps the answer sorted; an equal probability comes after those that are there. */
static bool offer(struct context_answer *answer, uint32_t symbol, double probability)
{
	unsigned int at = answer->count;

	while (at > 0 && probability > answer->probabilities[at - 1] * (1 + 1e-12))
		at--;
	if (at == CONTEXT_TOP)
		return false;
	answer->count += answer->count < CONTEXT_TOP;
	for (unsigned int i = answer->count - 1; i > at; i--) {
		answer->symbols[i] = answer->symbols[i - 1];
		answer->probabilities[i] = answer->probabilities[i - 1];
	}
	answer->symbols[at] = symbol;
	answer->probabilities[at] = probability;
	return true;
}

void context_ppm_best(const struct context_model *model, const struct context_history *history,
		      struct context_answer *answer)
{
	uint32_t path[CONTEXT_ORDER_MAX + 1];
	unsigned int length = find_path(model, history, CONTEXT_ORDER_MAX, path);
	double escape = 1;

	answer->count = 0;
	for (unsigned int level = length; level-- > 0;) {
		const struct context_node *node = &model->nodes[path[level]];
		double divisor = ppm_divisor(model, path, level, length);
		/* Their counts descend, and so do their probabilities. */
		for (uint32_t i = 0; i < node->distinct; i++) {
			const struct context_entry *entry = &model->entries[node->first + i];
			if (answer->count == CONTEXT_TOP &&
			    escape * entry->count / divisor <= answer->probabilities[CONTEXT_TOP - 1])
				break;
			if (level + 1 < length && count_of(model, path[level + 1], entry->symbol))
				continue;
			if (!offer(answer, entry->symbol, escape * entry->count / divisor))
				break;
		}
		escape *= node->distinct / divisor;
	}
}

void context_model_free(struct context_model *model)
{
	free(model->nodes);
	free(model->entries);
	free(model->children.keys);
	free(model->children.values);
	free(model->counts.keys);
	free(model->counts.values);
	*model = (struct context_model){0};
}
