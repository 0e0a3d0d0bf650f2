/* SPDX-License-Identifier: MIT */
#include "capture/loss_log.h"

#include <stdbool.h>
#include <stdlib.h>

static struct loss_place *last_of(const struct loss_log *log, unsigned int cpu)
{
	for (size_t i = log->count; i > 0; i--)
		if (log->places[i - 1].cpu == cpu)
			return &log->places[i - 1];
	return NULL;
}

static bool make_room(struct loss_log *log)
{
	if (log->count < log->capacity)
		return true;
	size_t capacity = log->capacity ? 2 * log->capacity : 16;
	struct loss_place *places = realloc(log->places, capacity * sizeof(*places));
	if (!places)
		return false;
	log->places = places;
	log->capacity = capacity;
	return true;
}

void loss_log_add(struct loss_log *log, unsigned int cpu, uint64_t events, uint64_t after_us, uint64_t before_us)
{
	struct loss_place *last = last_of(log, cpu);

	if (last && (last->before_us >= after_us || log->count >= LOSS_LOG_MOST || !make_room(log))) {
		last->events += events;
		last->before_us = before_us;
		return;
	}
	if (make_room(log))
		log->places[log->count++] = (struct loss_place){cpu, events, after_us, before_us};
}

void loss_log_free(struct loss_log *log)
{
	free(log->places);
	*log = (struct loss_log){0};
}
