/* SPDX-License-Identifier: MIT */
#include "data/predict/tally.h"

#include <stdlib.h>

#include "data/predict/room.h"

static bool touch(struct tally *tally, uint32_t number)
{
	void *counts = tally->counts, *touched = tally->touched;
	bool has_room = room_grow(&counts, &tally->capacity, number, sizeof(*tally->counts)) &&
			room_grow(&touched, &tally->touched_capacity, tally->touched_count, sizeof(*tally->touched));

	tally->counts = counts;
	tally->touched = touched;
	if (has_room)
		tally->touched[tally->touched_count++] = number;
	return has_room;
}

bool tally_add(struct tally *tally, uint32_t number, bool has_choice)
{
	if ((number >= tally->capacity || !tally->counts[number].any) && !touch(tally, number))
		return false;
	tally->counts[number].any++;
	tally->counts[number].choice += has_choice;
	return true;
}

void tally_sort(struct tally *tally)
{
	uint32_t count = 0;

	if (tally->touched_count < tally->capacity / 16)
		return;
	for (uint32_t i = 0; i < tally->capacity; i++)
		if (tally->counts[i].any)
			tally->touched[count++] = i;
}

void tally_clear(struct tally *tally)
{
	for (uint32_t i = 0; i < tally->touched_count; i++)
		tally->counts[tally->touched[i]] = (struct tally_count){0, 0};
	tally->touched_count = 0;
}

void tally_free(struct tally *tally)
{
	free(tally->counts);
	free(tally->touched);
	*tally = (struct tally){0};
}
