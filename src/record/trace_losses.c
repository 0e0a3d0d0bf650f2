/* SPDX-License-Identifier: MIT */
#include "record/trace_losses.h"

/* Events dropped after the last drain: the buffer stayed full until the end, so they follow the last event of its
 * CPU. */
static void note_rest(const struct trace_survey *survey, unsigned int cpu, uint64_t lost, uint64_t now_us,
		      struct losses *losses)
{
	struct loss place = {.cpu = cpu, .events = lost, .before_ns = now_us * 1000};

	for (size_t i = 0; i < losses->count; i++)
		if (losses->items[i].cpu == cpu)
			place.events -= losses->items[i].events;
	for (size_t i = 0; i < survey->cpu_count; i++)
		if (survey->cpus[i].cpu == cpu)
			place.after_ns = survey->cpus[i].last_ts;
	if (place.events)
		losses_add_place(losses, &place);
}

void trace_losses_find(const struct capture_session *session, struct spool *spool, const struct trace_survey *survey,
		       struct losses *losses)
{
	*losses = (struct losses){0};
	if (spool) {
		*losses = spool->losses;
		spool->losses = (struct losses){0};
	}
	for (unsigned int cpu = 0; cpu < capture_cpu_count(session); cpu++) {
		const struct ring_stats *stats = capture_stats(session, cpu);
		uint64_t lost = ring_stats_lost(stats) - (capture_overwrites(session) ? stats->overrun : 0);
		if (lost)
			note_rest(survey, cpu, lost, stats->now_us, losses);
	}
	losses_sort(losses);
}

uint64_t trace_recorded_events(const struct capture_session *session)
{
	uint64_t events = 0;

	for (unsigned int cpu = 0; cpu < capture_cpu_count(session); cpu++)
		events += ring_stats_recorded(capture_stats(session, cpu));
	return events;
}
