/* SPDX-License-Identifier: MIT */
#include "cmd/trace_losses.h"

#include <stdio.h>

/* Where only the end is read out, the buffer refused everything behind the last event that it took. */
static void note_full_buffer(const struct trace_survey *survey, unsigned int cpu, uint64_t lost, uint64_t now_us,
			     struct loss_log *log)
{
	for (size_t i = 0; i < survey->cpu_count; i++)
		if (survey->cpus[i].cpu == cpu)
			loss_log_add(log, cpu, lost, survey->cpus[i].last_ts / 1000, now_us);
}

static void add_time(struct trace_losses *losses, size_t length)
{
	const struct loss_place *first = losses->log.places;

	if (losses->log.count && length < sizeof(losses->where))
		snprintf(losses->where + length, sizeof(losses->where) - length,
			 ", first between %llu.%06llu and %llu.%06llu s", (unsigned long long)first->after_us / 1000000,
			 (unsigned long long)first->after_us % 1000000, (unsigned long long)first->before_us / 1000000,
			 (unsigned long long)first->before_us % 1000000);
}

void trace_losses_find(const struct capture_session *session, struct spool *spool, const struct trace_survey *survey,
		       struct trace_losses *losses)
{
	enum { ROOM_FOR_TIME = 80 };
	size_t length = 0;

	*losses = (struct trace_losses){0};
	if (spool) {
		spool_note_last_losses(spool);
		losses->log = spool->losses;
		spool->losses = (struct loss_log){0};
	}
	for (unsigned int cpu = 0; cpu < capture_cpu_count(session); cpu++) {
		const struct ring_stats *stats = capture_stats(session, cpu);
		uint64_t lost = ring_stats_lost(stats) - (capture_overwrites(session) ? stats->overrun : 0);
		if (lost == 0)
			continue;
		losses->events += lost;
		if (!spool)
			note_full_buffer(survey, cpu, lost, stats->now_us, &losses->log);
		if (length < sizeof(losses->where) - ROOM_FOR_TIME)
			length +=
			    (size_t)snprintf(losses->where + length, sizeof(losses->where) - length, "%s%llu on CPU %u",
					     length ? ", " : "", (unsigned long long)lost, cpu);
	}
	add_time(losses, length);
}

void trace_losses_add(struct json_writer *json, const struct trace_losses *losses)
{
	json_array_begin(json, "losses");
	for (size_t i = 0; i < losses->log.count; i++) {
		const struct loss_place *place = &losses->log.places[i];
		json_object_begin(json, NULL);
		json_u64(json, "cpu", place->cpu);
		json_u64(json, "events", place->events);
		json_real(json, "after", (double)place->after_us / 1e6, 6);
		json_real(json, "before", (double)place->before_us / 1e6, 6);
		json_object_end(json);
	}
	json_array_end(json);
}

void trace_losses_free(struct trace_losses *losses)
{
	loss_log_free(&losses->log);
}
