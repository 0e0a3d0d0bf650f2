/* SPDX-License-Identifier: MIT */
#include "record/trace_losses.h"

#include <stdio.h>

/* Events dropped after the last drain: the buffer stayed full until the end, so they follow the last event of its
 * CPU. */
static void note_rest(const struct trace_survey *survey, unsigned int cpu, uint64_t lost, uint64_t now_us,
		      struct loss_log *log)
{
	struct loss_place place = {.cpu = cpu, .events = lost, .before_ns = now_us * 1000};

	for (size_t i = 0; i < log->count; i++)
		if (log->places[i].cpu == cpu)
			place.events -= log->places[i].events;
	for (size_t i = 0; i < survey->cpu_count; i++)
		if (survey->cpus[i].cpu == cpu)
			place.after_ns = survey->cpus[i].last_ts;
	if (place.events)
		loss_log_add(log, &place);
}

static void add_time(struct trace_losses *losses, size_t length)
{
	const struct loss_place *first = losses->log.places;

	if (losses->log.count && length < sizeof(losses->where))
		snprintf(
		    losses->where + length, sizeof(losses->where) - length,
		    ", first between %llu.%09llu and %llu.%09llu s", (unsigned long long)first->after_ns / 1000000000,
		    (unsigned long long)first->after_ns % 1000000000, (unsigned long long)first->before_ns / 1000000000,
		    (unsigned long long)first->before_ns % 1000000000);
}

void trace_losses_find(const struct capture_session *session, struct spool *spool, const struct trace_survey *survey,
		       struct trace_losses *losses)
{
	enum { ROOM_FOR_TIME = 80 };
	size_t length = 0;

	*losses = (struct trace_losses){0};
	if (spool) {
		losses->log = spool->losses;
		spool->losses = (struct loss_log){0};
	}
	for (unsigned int cpu = 0; cpu < capture_cpu_count(session); cpu++) {
		const struct ring_stats *stats = capture_stats(session, cpu);
		uint64_t lost = ring_stats_lost(stats) - (capture_overwrites(session) ? stats->overrun : 0);
		if (lost == 0)
			continue;
		losses->events += lost;
		note_rest(survey, cpu, lost, stats->now_us, &losses->log);
		if (length < sizeof(losses->where) - ROOM_FOR_TIME)
			length +=
			    (size_t)snprintf(losses->where + length, sizeof(losses->where) - length, "%s%llu on CPU %u",
					     length ? ", " : "", (unsigned long long)lost, cpu);
	}
	loss_log_sort(&losses->log);
	add_time(losses, length);
}

uint64_t trace_recorded_events(const struct capture_session *session)
{
	uint64_t events = 0;

	for (unsigned int cpu = 0; cpu < capture_cpu_count(session); cpu++)
		events += ring_stats_recorded(capture_stats(session, cpu));
	return events;
}

void trace_losses_free(struct trace_losses *losses)
{
	loss_log_free(&losses->log);
}
