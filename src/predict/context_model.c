/* SPDX-License-Identifier: MIT */
#include "predict/context_model.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"

#define MAP_MIN  1024u
#define SCAN_MAX 12u

/* --- (node, symbol) to a number --- */

static uint32_t find_slot(const struct context_map *map, uint32_t node, uint32_t symbol)
{
	uint32_t at = (uint32_t)hash_words((uint64_t)node << 32 | symbol, 0) & map->mask;

	while (map->slots[at].value && (map->slots[at].node != node || map->slots[at].symbol != symbol))
		at = (at + 1) & map->mask;
	return at;
}

static bool grow_map(struct context_map *map)
{
	uint32_t size = map->slots ? 2 * (map->mask + 1) : MAP_MIN;
	struct context_map grown = {size ? calloc(size, sizeof(*grown.slots)) : NULL, map->count, size - 1};

	if (!grown.slots)
		return false;
	for (uint32_t i = 0; map->slots && i <= map->mask; i++)
		if (map->slots[i].value)
			grown.slots[find_slot(&grown, map->slots[i].node, map->slots[i].symbol)] = map->slots[i];
	free(map->slots);
	*map = grown;
	return true;
}

/* The number of the key, or CONTEXT_NONE. */
static uint32_t map_find(const struct context_map *map, uint32_t node, uint32_t symbol)
{
	return map->slots ? map->slots[find_slot(map, node, symbol)].value - 1 : CONTEXT_NONE;
}

/* The number of the key, which is value if it is new. CONTEXT_NONE if memory ran out. */
static uint32_t map_number(struct context_map *map, uint32_t node, uint32_t symbol, uint32_t value)
{
	if ((!map->slots || 2 * map->count > map->mask) && !grow_map(map))
		return CONTEXT_NONE;
	struct context_slot *slot = &map->slots[find_slot(map, node, symbol)];
	if (!slot->value) {
		*slot = (struct context_slot){node, symbol, value + 1};
		map->count++;
	}
	return slot->value - 1;
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
		model->entries[model->entry_count++] = (struct context_entry){.node = node, .symbol = symbol};
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

/* While they are counted. */
static uint32_t count_so_far(const struct context_model *model, uint32_t node, uint32_t symbol)
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
		uint32_t in_a = count_so_far(model, node, a->symbol), in_b = count_so_far(model, node, b->symbol);
		if (in_a != in_b)
			return in_a > in_b ? -1 : 1;
	}
	return a->symbol < b->symbol ? -1 : a->symbol > b->symbol;
}

/* The entries of the root, by symbol. */
static bool index_root(struct context_model *model)
{
	uint32_t count = model->node_count ? model->nodes[0].distinct : 0;

	for (uint32_t i = 0; i < count; i++)
		if (model->entries[i].symbol >= model->root_size)
			model->root_size = model->entries[i].symbol + 1;
	model->root_entries = calloc((size_t)model->root_size + 1, sizeof(*model->root_entries));
	for (uint32_t i = 0; i < count && model->root_entries; i++)
		model->root_entries[model->entries[i].symbol] = i + 1;
	return model->root_entries != NULL;
}

/* Whatever followed a context also followed the shorter one, its parent. */
static void link_entries(struct context_model *model)
{
	for (uint32_t i = 0; i < model->entry_count; i++) {
		struct context_entry *entry = &model->entries[i];
		struct context_node *node = &model->nodes[entry->node];
		entry->shorter = CONTEXT_NONE;
		if (node->parent == CONTEXT_NONE)
			continue;
		entry->shorter = map_find(&model->counts, node->parent, entry->symbol);
		node->shared += model->entries[entry->shorter].count;
	}
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
		model->counts.slots[find_slot(&model->counts, sorted[i].node, sorted[i].symbol)].value = i + 1;
	}
	link_entries(model);
	return index_root(model);
}

/* --- Predictions --- */

/* Few entries are found sooner one after the other than by their hash. */
static uint32_t find_entry(const struct context_model *model, uint32_t node, uint32_t symbol)
{
	const struct context_node *it = &model->nodes[node];

	if (node == 0)
		return symbol < model->root_size ? model->root_entries[symbol] - 1 : CONTEXT_NONE;
	if (it->distinct > SCAN_MAX)
		return map_find(&model->counts, node, symbol);
	for (uint32_t i = it->first; i < it->first + it->distinct; i++)
		if (model->entries[i].symbol == symbol)
			return i;
	return CONTEXT_NONE;
}

/* The symbol's entry in the longest context of the path that has one; *level is its place. */
static uint32_t find_longest(const struct context_model *model, const struct context_path *path, uint32_t symbol,
			     unsigned int *level)
{
	for (*level = path->length; *level > 0;) {
		uint32_t entry = find_entry(model, path->nodes[--*level], symbol);
		if (entry != CONTEXT_NONE)
			return entry;
	}
	return CONTEXT_NONE;
}

struct context_path context_find_path(const struct context_model *model, const struct context_history *history,
				      unsigned int order)
{
	struct context_path path = {.length = model->node_count > 0};

	for (unsigned int i = 0; path.length && i < history->length && i < order; i++) {
		uint32_t child = map_find(&model->children, path.nodes[i], history->symbols[i]);
		if (child == CONTEXT_NONE)
			break;
		path.nodes[path.length++] = child;
	}
	return path;
}

/* Of a symbol whose entry in the longest context that has one is known; CONTEXT_NONE: no context has one. */
static double markov_of(const struct context_model *model, const struct context_path *path, uint32_t entry,
			unsigned int level)
{
	uint32_t counts[CONTEXT_ORDER_MAX + 1] = {0};
	double probability = 1.0 / model->alphabet;

	for (unsigned int i = level + 1; entry != CONTEXT_NONE && i-- > 0; entry = model->entries[entry].shorter)
		counts[i] = model->entries[entry].count;
	for (unsigned int i = 0; i < path->length; i++)
		probability = (counts[i] + probability) / ((double)model->nodes[path->nodes[i]].total + 1);
	return probability;
}

double context_markov(const struct context_model *model, const struct context_path *path, uint32_t symbol)
{
	unsigned int level;
	uint32_t entry = find_longest(model, path, symbol, &level);

	return markov_of(model, path, entry, level);
}

static bool has_answer(const struct context_answer *answer, uint32_t symbol)
{
	for (unsigned int i = 0; i < answer->count; i++)
		if (answer->symbols[i] == symbol)
			return true;
	return false;
}

void context_markov_best(const struct context_model *model, const struct context_path *path,
			 struct context_answer *answer)
{
	answer->count = 0;
	for (unsigned int level = path->length; level-- > 0;) {
		const struct context_node *node = &model->nodes[path->nodes[level]];
		for (uint32_t i = node->first; i < node->first + node->distinct && answer->count < CONTEXT_TOP; i++) {
			/* The longer context's are all in the answer. */
			if (has_answer(answer, model->entries[i].symbol))
				continue;
			if (!answer->count)
				answer->probability = markov_of(model, path, i, level);
			answer->symbols[answer->count++] = model->entries[i].symbol;
		}
	}
}

/* What a context divides by: its continuations that the longer one lacks, and the escape. */
static double ppm_divisor(const struct context_model *model, const struct context_path *path, unsigned int level)
{
	const struct context_node *node = &model->nodes[path->nodes[level]];
	uint64_t excluded = level + 1 < path->length ? model->nodes[path->nodes[level + 1]].shared : 0;

	return (double)(node->total - excluded) + node->distinct;
}

double context_ppm(const struct context_model *model, const struct context_path *path, uint32_t symbol)
{
	double escape = 1;

	for (unsigned int level = path->length; level-- > 0;) {
		double divisor = ppm_divisor(model, path, level);
		uint32_t entry = find_entry(model, path->nodes[level], symbol);
		if (entry != CONTEXT_NONE)
			return escape * model->entries[entry].count / divisor;
		escape *= model->nodes[path->nodes[level]].distinct / divisor;
	}
	uint32_t seen = path->length ? model->nodes[0].distinct : 0;
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

void context_ppm_best(const struct context_model *model, const struct context_path *path, struct context_answer *answer)
{
	double probabilities[CONTEXT_TOP];
	double escape = 1;

	answer->count = 0;
	for (unsigned int level = path->length; level-- > 0;) {
		const struct context_node *node = &model->nodes[path->nodes[level]];
		double divisor = ppm_divisor(model, path, level);
		/* Their counts descend, and so do their probabilities. */
		for (uint32_t i = 0; i < node->distinct; i++) {
			const struct context_entry *entry = &model->entries[node->first + i];
			if (answer->count == CONTEXT_TOP &&
			    escape * entry->count / divisor <= probabilities[CONTEXT_TOP - 1])
				break;
			if (level + 1 < path->length &&
			    find_entry(model, path->nodes[level + 1], entry->symbol) != CONTEXT_NONE)
				continue;
			if (!offer(answer, probabilities, entry->symbol, escape * entry->count / divisor))
				break;
		}
		escape *= node->distinct / divisor;
	}
	if (answer->count)
		answer->probability = probabilities[0];
}

void context_model_free(struct context_model *model)
{
	free(model->nodes);
	free(model->entries);
	free(model->children.slots);
	free(model->counts.slots);
	free(model->root_entries);
	*model = (struct context_model){0};
}
