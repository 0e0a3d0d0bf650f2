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

void loss_log_add(struct loss_log *log, const struct loss_place *place)
{
	struct loss_place *last = last_of(log, place->cpu);

	if (last && (last->before_ns > place->after_ns || log->count >= LOSS_LOG_MOST || !make_room(log))) {
		last->events += place->events;
		last->before_ns = place->before_ns;
		return;
	}
	if (make_room(log))
		log->places[log->count++] = *place;
}

static int by_time(const void *left, const void *right)
{
	const struct loss_place *a = left;
	const struct loss_place *b = right;

	if (a->after_ns != b->after_ns)
		return a->after_ns < b->after_ns ? -1 : 1;
	return (a->cpu > b->cpu) - (a->cpu < b->cpu);
}

void loss_log_sort(struct loss_log *log)
{
	if (log->count)
		qsort(log->places, log->count, sizeof(*log->places), by_time);
}

void loss_log_free(struct loss_log *log)
{
	free(log->places);
	*log = (struct loss_log){0};
}
