/* SPDX-License-Identifier: MIT */
#include "base/id_map.h"

#include <stdlib.h>

#include "base/hash.h"
#include "base/memory.h"

#define SLOTS_MIN 64u

static uint32_t slot_of(const struct id_map *map, uint64_t id)
{
	uint32_t slot = (uint32_t)hash_words(id, 0) & map->slot_mask;

	while (map->slots[slot] && map->ids[map->slots[slot] - 1] != id)
		slot = (slot + 1) & map->slot_mask;
	return slot;
}

uint32_t id_map_find(const struct id_map *map, uint64_t id)
{
	return map->slots ? map->slots[slot_of(map, id)] - 1 : ID_MAP_NONE;
}

/* Keeps at most half of the slots in use. */
static void make_slots(struct id_map *map)
{
	uint32_t slots = map->slots ? map->slot_mask + 1 : 0;

	if (map->slots && map->count < slots / 2)
		return;
	hash_begin();
	slots = slots ? 2 * slots : SLOTS_MIN;
	free(map->slots);
	map->slots = xcalloc(slots, sizeof(*map->slots));
	map->slot_mask = slots - 1;
	for (uint32_t i = 0; i < map->count; i++)
		map->slots[slot_of(map, map->ids[i])] = i + 1;
}

uint32_t id_map_add(struct id_map *map, uint64_t id)
{
	make_slots(map);
	uint32_t slot = slot_of(map, id);
	if (map->slots[slot])
		return map->slots[slot] - 1;
	map->ids = array_grow(map->ids, &map->capacity, map->count + 1, sizeof(*map->ids));
	map->ids[map->count++] = id;
	map->slots[slot] = map->count;
	return map->count - 1;
}

void id_map_free(struct id_map *map)
{
	free(map->ids);
	free(map->slots);
	*map = (struct id_map){0};
}
