/* SPDX-License-Identifier: MIT */
#include "data/predict/lanes.h"

#include <stdlib.h>

#include "data/predict/room.h"

/* The node of the lane, or NULL if memory ran out. */
static uint32_t *reach(struct lanes *lanes, struct lanes_place place)
{
	void *nodes = lanes->nodes;
	bool has_room =
	    place.lane < lanes->count || room_grow(&nodes, &lanes->count, place.lane, sizeof(*lanes->nodes));

	lanes->nodes = nodes;
	if (!has_room)
		return NULL;
	if (lanes->trace != place.trace + 1) {
		lanes->trace = place.trace + 1;
		for (uint32_t i = 0; i < lanes->count; i++)
			lanes->nodes[i] = CONTEXT_ROOT;
	}
	return &lanes->nodes[place.lane];
}

bool lanes_learn(struct lanes *lanes, struct lanes_place place, uint32_t symbol)
{
	uint32_t *node = reach(lanes, place);

	return node && context_model_count(&lanes->model, node, symbol);
}

bool lanes_finish(struct lanes *lanes, uint32_t alphabet)
{
	lanes->model.alphabet = alphabet;
	if (!context_model_finish(&lanes->model))
		return false;
	for (uint32_t i = 0; i < lanes->count; i++)
		lanes->nodes[i] = context_model_seen(&lanes->model, lanes->nodes[i]);
	return true;
}

bool lanes_follow(struct lanes *lanes, struct lanes_place place, uint32_t symbol, struct lanes_step *step)
{
	uint32_t *node = reach(lanes, place);

	if (!node)
		return false;
	step->node = *node;
	step->entry = context_model_follow(&lanes->model, node, symbol);
	return true;
}

void lanes_free(struct lanes *lanes)
{
	context_model_free(&lanes->model);
	free(lanes->nodes);
	*lanes = (struct lanes){0};
}
