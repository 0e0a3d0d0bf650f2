/* SPDX-License-Identifier: MIT */
#include "measure/episodes.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

struct episode *episodes_open(struct episodes *episodes, uint32_t task, uint64_t since_ns)
{
	episodes->places = array_reserve(episodes->places, &episodes->tasks, task + 1, sizeof(*episodes->places));
	episodes->open =
	    array_grow(episodes->open, &episodes->capacity, episodes->count + 1ul, sizeof(*episodes->open));
	struct episode *episode = &episodes->open[episodes->count++];
	*episode = (struct episode){.task = task, .since_ns = since_ns};
	episodes->places[task] = episodes->count;
	return episode;
}

void episodes_close(struct episodes *episodes, uint32_t task)
{
	struct episode *episode = episodes_find(episodes, task);

	if (!episode)
		return;
	const struct episode *last = &episodes->open[--episodes->count];
	episodes->places[last->task] = episodes->places[task];
	episodes->places[task] = 0;
	*episode = *last;
}

void episodes_close_all(struct episodes *episodes)
{
	for (uint32_t i = 0; i < episodes->count; i++)
		episodes->places[episodes->open[i].task] = 0;
	episodes->count = 0;
}

void episodes_free(struct episodes *episodes)
{
	free(episodes->open);
	free(episodes->places);
	*episodes = (struct episodes){0};
}

void longest_episodes_offer(struct longest_episodes *longest, const struct longest_episode *episode)
{
	uint32_t place = longest->count;

	while (place > 0 && longest->list[place - 1].duration_ns < episode->duration_ns)
		place--;
	if (place == LONGEST_MAX)
		return;
	if (longest->count < LONGEST_MAX)
		longest->count++;
	memmove(&longest->list[place + 1], &longest->list[place],
		(longest->count - 1 - place) * sizeof(longest->list[0]));
	longest->list[place] = *episode;
}
