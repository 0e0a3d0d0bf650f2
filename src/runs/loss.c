/* SPDX-License-Identifier: MIT */
#include "runs/loss.h"

#include <inttypes.h>
#include <stdlib.h>

#define CPUS_SHOWN_MAX 8

static struct loss_cpu *find_cpu(struct loss *loss, bool cpu_known, uint32_t cpu)
{
	for (size_t i = 0; i < loss->cpu_count; i++)
		if (loss->cpus[i].cpu_known == cpu_known && (!cpu_known || loss->cpus[i].cpu == cpu))
			return &loss->cpus[i];
	return NULL;
}

bool loss_add(struct loss *loss, bool cpu_known, uint32_t cpu, uint64_t events)
{
	if (loss->cpu_count >= LOSS_CPUS_MAX && !find_cpu(loss, cpu_known, cpu))
		cpu_known = false;
	struct loss_cpu *entry = find_cpu(loss, cpu_known, cpu);
	if (!entry) {
		struct loss_cpu *cpus = realloc(loss->cpus, (loss->cpu_count + 1) * sizeof(*cpus));
		if (!cpus)
			return false;
		loss->cpus = cpus;
		entry = &cpus[loss->cpu_count++];
		*entry = (struct loss_cpu){.cpu = cpu_known ? cpu : 0, .cpu_known = cpu_known};
	}
	if (entry->events < events)
		entry->events = events;
	return true;
}

bool loss_add_places(struct loss *loss, const struct loss_cpu *reported)
{
	if (!loss_add(loss, true, reported->cpu, reported->events))
		return false;
	struct loss_cpu *entry = find_cpu(loss, true, reported->cpu);
	if (entry) {
		entry->places = reported->places;
		entry->after_ns = reported->after_ns;
		entry->before_ns = reported->before_ns;
	}
	return true;
}

bool loss_any(const struct loss *loss)
{
	return loss->cpu_count > 0 || loss->incomplete;
}

uint64_t loss_events(const struct loss *loss)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < loss->cpu_count; i++)
		sum = sum > UINT64_MAX - loss->cpus[i].events ? UINT64_MAX : sum + loss->cpus[i].events;
	return sum;
}

static void describe_time(uint64_t ns, struct buffer *text)
{
	buffer_printf(text, "%" PRIu64 ".%06" PRIu64, ns / 1000000000, ns / 1000 % 1000000);
}

static void describe_cpu(const struct loss_cpu *entry, struct buffer *text)
{
	if (entry->events)
		buffer_printf(text, "%" PRIu64, entry->events);
	else
		buffer_text(text, "an unknown number");
	if (entry->cpu_known)
		buffer_printf(text, " on CPU %" PRIu32, entry->cpu);
	else
		buffer_text(text, " on a CPU that the trace does not name");
	if (!entry->before_ns)
		return;
	if (entry->places > 1)
		buffer_printf(text, " at %" PRIu64 " places", entry->places);
	if (entry->after_ns) {
		buffer_text(text, " between ");
		describe_time(entry->after_ns, text);
	}
	buffer_text(text, entry->after_ns ? " and " : " before ");
	describe_time(entry->before_ns, text);
	buffer_text(text, " s");
}

void loss_describe(const struct loss *loss, struct buffer *text)
{
	uint64_t events = loss_events(loss);

	if (loss->cpu_count == 0) {
		buffer_text(text, "the end of the trace");
		return;
	}
	if (events)
		buffer_printf(text, "%" PRIu64 " event%s (", events, events == 1 ? "" : "s");
	else
		buffer_text(text, "events (");
	for (size_t i = 0; i < loss->cpu_count && i < CPUS_SHOWN_MAX; i++) {
		if (i)
			buffer_text(text, ", ");
		describe_cpu(&loss->cpus[i], text);
	}
	if (loss->cpu_count > CPUS_SHOWN_MAX)
		buffer_printf(text, ", and on %zu more CPUs", loss->cpu_count - CPUS_SHOWN_MAX);
	buffer_text(text, ")");
	if (loss->incomplete)
		buffer_text(text, " and the end of the trace");
}

void loss_free(struct loss *loss)
{
	free(loss->cpus);
	*loss = (struct loss){0};
}
