/* SPDX-License-Identifier: MIT */
#include "data/predict/context_model.h"

#include <stdlib.h>

#include "base/hash.h"
#include "data/predict/room.h"

#define SLOTS_MIN 1024u

/* --- (node, symbol) to an entry --- */

static uint32_t find_slot(const struct context_model *model, uint32_t node, uint32_t symbol)
{
	uint32_t at = (uint32_t)hash_words((uint64_t)node << 32 | symbol, 0) & model->slot_mask;

	for (; model->slots[at]; at = (at + 1) & model->slot_mask) {
		const struct context_entry *entry = &model->entries[model->slots[at] - 1];
		if (entry->node == node && entry->symbol == symbol)
			break;
	}
	return at;
}

static bool grow_slots(struct context_model *model)
{
	uint32_t size = model->slots ? 2 * (model->slot_mask + 1) : SLOTS_MIN;
	uint32_t *slots = size ? calloc(size, sizeof(*slots)) : NULL;

	if (!slots)
		return false;
	free(model->slots);
	model->slots = slots;
	model->slot_mask = size - 1;
	for (uint32_t i = 0; i < model->entry_count; i++)
		slots[find_slot(model, model->entries[i].node, model->entries[i].symbol)] = i + 1;
	return true;
}

/* --- Counting --- */

static uint32_t add_node(struct context_model *model, uint32_t parent, uint32_t order)
{
	void *nodes = model->nodes;
	bool has_room = room_grow(&nodes, &model->node_capacity, model->node_count, sizeof(*model->nodes));

	model->nodes = nodes;
	if (!has_room)
		return CONTEXT_NONE;
	model->nodes[model->node_count] = (struct context_node){.parent = parent, .order = order};
	return model->node_count++;
}

/* The root is there. */
static bool begin(struct context_model *model)
{
	hash_begin();
	return (model->slots || grow_slots(model)) &&
	       (model->node_count || add_node(model, CONTEXT_NONE, 0) != CONTEXT_NONE);
}

/* The context after a symbol that is new in this node. */
static uint32_t node_after(struct context_model *model, uint32_t node, uint32_t shorter)
{
	uint32_t order = model->nodes[node].order;
	uint32_t next = shorter == CONTEXT_NONE ? CONTEXT_ROOT : model->entries[shorter].next;

	return order == CONTEXT_ORDER_MAX ? next : add_node(model, next, order + 1);
}

static uint32_t add_entry(struct context_model *model, uint32_t node, uint32_t symbol, uint32_t shorter)
{
	void *entries = model->entries;
	bool has_room = room_grow(&entries, &model->entry_capacity, model->entry_count, sizeof(*model->entries));

	model->entries = entries;
	if (!has_room || (2 * model->entry_count > model->slot_mask && !grow_slots(model)))
		return CONTEXT_NONE;
	uint32_t next = node_after(model, node, shorter);
	if (next == CONTEXT_NONE)
		return CONTEXT_NONE;
	uint32_t slot = find_slot(model, node, symbol);
	model->entries[model->entry_count] =
	    (struct context_entry){.node = node, .symbol = symbol, .shorter = shorter, .next = next};
	model->slots[slot] = ++model->entry_count;
	return model->entry_count - 1;
}

/* The symbol's entry in the context. A new one comes after those of shorter contexts. CONTEXT_NONE if memory ran out.
 */
static uint32_t entry_of(struct context_model *model, uint32_t node, uint32_t symbol)
{
	uint32_t found = model->slots[find_slot(model, node, symbol)];
	uint32_t parent = model->nodes[node].parent;

	if (found)
		return found - 1;
	if (parent == CONTEXT_NONE)
		return add_entry(model, node, symbol, CONTEXT_NONE);
	uint32_t shorter = entry_of(model, parent, symbol);
	return shorter == CONTEXT_NONE ? CONTEXT_NONE : add_entry(model, node, symbol, shorter);
}

bool context_model_count(struct context_model *model, uint32_t *node, uint32_t symbol)
{
	if (!model->node_count && !begin(model))
		return false;
	uint32_t entry = entry_of(model, *node, symbol);
	if (entry == CONTEXT_NONE)
		return false;
	model->entries[entry].count++;
	*node = model->entries[entry].next;
	return true;
}

/* --- The end of counting --- */

/* What followed a context also followed the shorter ones. */
static void add_up(struct context_model *model)
{
	for (uint32_t i = model->entry_count; i-- > 0;) {
		const struct context_entry *entry = &model->entries[i];
		if (entry->shorter != CONTEXT_NONE)
			model->entries[entry->shorter].count += entry->count;
		model->nodes[entry->node].total += entry->count;
		model->nodes[entry->node].distinct++;
	}
}

/* Of one node, as the predictions rank them. */
static int compare_entries(const void *left, const void *right, void *context)
{
	const struct context_entry *entries = context;
	const uint32_t *first = left, *second = right;

	for (uint32_t a = *first, b = *second; a != CONTEXT_NONE; a = entries[a].shorter, b = entries[b].shorter)
		if (entries[a].count != entries[b].count)
			return entries[a].count > entries[b].count ? -1 : 1;
	return entries[*first].symbol < entries[*second].symbol ? -1 : 1;
}

/* The entries by node, each node's as the predictions rank them. */
static void rank_entries(struct context_model *model, uint32_t *ranked)
{
	uint32_t first = 0;

	for (uint32_t i = 0; i < model->node_count; i++) {
		model->nodes[i].first = first;
		first += model->nodes[i].distinct;
	}
	for (uint32_t i = 0; i < model->entry_count; i++)
		ranked[model->nodes[model->entries[i].node].first++] = i;
	for (uint32_t i = 0; i < model->node_count; i++) {
		struct context_node *node = &model->nodes[i];
		node->first -= node->distinct;
		if (node->distinct > 1)
			qsort_r(ranked + node->first, node->distinct, sizeof(*ranked), compare_entries, model->entries);
	}
}

/* places: room for the new number of each entry. */
static void move_entries(struct context_model *model, const uint32_t *ranked, struct context_entry *moved,
			 uint32_t *places)
{
	for (uint32_t i = 0; i < model->entry_count; i++) {
		moved[i] = model->entries[ranked[i]];
		places[ranked[i]] = i;
	}
	for (uint32_t i = 0; i < model->entry_count; i++)
		if (moved[i].shorter != CONTEXT_NONE)
			moved[i].shorter = places[moved[i].shorter];
	for (uint32_t i = 0; i <= model->slot_mask; i++)
		if (model->slots[i])
			model->slots[i] = places[model->slots[i] - 1] + 1;
	free(model->entries);
	model->entries = moved;
	model->entry_capacity = model->entry_count + 1;
}

static bool sort_entries(struct context_model *model)
{
	size_t room = (size_t)model->entry_count + 1;
	uint32_t *ranked = malloc(room * sizeof(*ranked)), *places = malloc(room * sizeof(*places));
	struct context_entry *moved = malloc(room * sizeof(*moved));
	bool has_memory = ranked && places && moved;

	if (has_memory) {
		rank_entries(model, ranked);
		move_entries(model, ranked, moved, places);
	} else {
		free(moved);
	}
	free(ranked);
	free(places);
	return has_memory;
}

/* Parents come first. */
static void weigh_entries(struct context_model *model)
{
	for (uint32_t i = 0; i < model->entry_count; i++) {
		struct context_entry *entry = &model->entries[i];
		struct context_node *node = &model->nodes[entry->node];
		const struct context_entry *shorter =
		    entry->shorter == CONTEXT_NONE ? NULL : &model->entries[entry->shorter];
		node->shared += shorter ? shorter->count : 0;
		entry->next = context_model_seen(model, entry->next);
		entry->order = node->order;
		entry->markov =
		    (entry->count + (shorter ? shorter->markov : 1.0 / model->alphabet)) / ((double)node->total + 1);
	}
}

static void weigh_nodes(struct context_model *model)
{
	for (uint32_t i = 0; i < model->node_count; i++) {
		struct context_node *node = &model->nodes[i];
		double total = (double)node->total;
		node->per_markov = 1 / (total + 1);
		node->per_ppm = node->total ? 1 / (total + node->distinct) : 0;
		if (!node->total || i == CONTEXT_ROOT)
			continue;
		const struct context_node *parent = &model->nodes[node->parent];
		node->per_ppm_of_parent = 1 / ((double)(parent->total - node->shared) + parent->distinct);
	}
}

static bool index_root(struct context_model *model)
{
	void *indexed = NULL;
	bool has_room = true;

	for (uint32_t i = 0; i < model->nodes[CONTEXT_ROOT].distinct && has_room; i++) {
		uint32_t symbol = model->entries[i].symbol;
		has_room = room_grow(&indexed, &model->root_size, symbol, sizeof(*model->root_entries));
		model->root_entries = indexed;
		if (has_room)
			model->root_entries[symbol] = i + 1;
	}
	return has_room;
}

bool context_model_finish(struct context_model *model)
{
	if (!begin(model))
		return false;
	add_up(model);
	if (!sort_entries(model))
		return false;
	weigh_entries(model);
	weigh_nodes(model);
	return index_root(model);
}

/* --- After it --- */

uint32_t context_model_seen(const struct context_model *model, uint32_t node)
{
	while (node != CONTEXT_ROOT && !model->nodes[node].total)
		node = model->nodes[node].parent;
	return node;
}

uint32_t context_model_shorten(const struct context_model *model, uint32_t node, uint32_t order)
{
	while (model->nodes[node].order > order)
		node = model->nodes[node].parent;
	return node;
}

/* The most frequent one is asked for most often. */
uint32_t context_model_find_in(const struct context_model *model, uint32_t node, uint32_t symbol)
{
	uint32_t first = model->nodes[node].first;

	if (node == CONTEXT_ROOT)
		return symbol < model->root_size ? model->root_entries[symbol] - 1 : CONTEXT_NONE;
	return model->entries[first].symbol == symbol ? first : model->slots[find_slot(model, node, symbol)] - 1;
}

uint32_t context_model_find(const struct context_model *model, uint32_t node, uint32_t symbol)
{
	uint32_t entry = context_model_find_in(model, node, symbol);

	while (entry == CONTEXT_NONE && node != CONTEXT_ROOT) {
		node = model->nodes[node].parent;
		entry = context_model_find_in(model, node, symbol);
	}
	return entry;
}

uint32_t context_model_follow(const struct context_model *model, uint32_t *node, uint32_t symbol)
{
	uint32_t entry = context_model_find(model, *node, symbol);

	*node = entry == CONTEXT_NONE ? CONTEXT_ROOT : model->entries[entry].next;
	return entry;
}

void context_model_free(struct context_model *model)
{
	free(model->nodes);
	free(model->entries);
	free(model->slots);
	free(model->root_entries);
	*model = (struct context_model){0};
}
