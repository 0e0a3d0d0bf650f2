/* SPDX-License-Identifier: MIT
 *
 * Numbers 0, 1, 2, ... for 64-bit ids (PIDs, addresses), in the order in which they are first given. */
#ifndef BASE_ID_MAP_H
#define BASE_ID_MAP_H

#include <stddef.h>
#include <stdint.h>

#define ID_MAP_NONE UINT32_MAX

struct id_map {
	uint64_t *ids; /* by number */
	uint32_t count;
	/* Internal. */
	size_t capacity;
	uint32_t *slots; /* number + 1; 0: free */
	uint32_t slot_mask;
};

/* A zeroed map is empty. */
uint32_t id_map_find(const struct id_map *map, uint64_t id);
/* The number of the id; a new id gets the next number. */
uint32_t id_map_add(struct id_map *map, uint64_t id);
void id_map_free(struct id_map *map);

#endif
