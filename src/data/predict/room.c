/* SPDX-License-Identifier: MIT */
#include "data/predict/room.h"

#include <stdlib.h>
#include <string.h>

bool room_grow(void **items, uint32_t *count, uint32_t index, size_t size)
{
	size_t grown = *count ? *count : 16;

	if (index < *count)
		return true;
	while (grown <= index)
		grown *= 2;
	char *moved = grown <= UINT32_MAX ? realloc(*items, grown * size) : NULL;
	if (!moved)
		return false;
	memset(moved + *count * size, 0, (grown - *count) * size);
	*items = moved;
	*count = (uint32_t)grown;
	return true;
}
