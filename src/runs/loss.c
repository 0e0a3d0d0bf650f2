/* SPDX-License-Identifier: MIT */
#include "runs/loss.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/memory.h"

#define CPUS_SHOWN_MAX 8

static uint64_t add_bounded(uint64_t a, uint64_t b)
{
	return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

/* The last item of the CPU. */
static struct loss *find_cpu(const struct losses *losses, uint32_t cpu)
{
	for (size_t i = losses->count; i > 0; i--)
		if (losses->items[i - 1].cpu == cpu)
			return &losses->items[i - 1];
	return NULL;
}

static struct loss *append(struct losses *losses, const struct loss *loss)
{
	losses->items = array_grow(losses->items, &losses->capacity, losses->count + 1, sizeof(*losses->items));
	losses->items[losses->count] = *loss;
	return &losses->items[losses->count++];
}

void losses_add(struct losses *losses, const struct loss *loss)
{
	struct loss added = *loss;
	struct loss *item = find_cpu(losses, loss->cpu);

	if (!item && losses->count >= LOSS_CPUS_MAX) {
		added.cpu = LOSS_CPU_UNKNOWN;
		item = find_cpu(losses, added.cpu);
	}
	if (!item) {
		append(losses, &added);
		return;
	}
	if (item->events < added.events)
		item->events = added.events;
	if (!added.places)
		return;
	item->places = added.places;
	item->after_ns = added.after_ns;
	item->before_ns = added.before_ns;
}

void losses_add_place(struct losses *losses, const struct loss *place)
{
	struct loss *last = find_cpu(losses, place->cpu);

	if (!last || (last->before_ns <= place->after_ns && losses->count < LOSS_PLACES_MAX)) {
		append(losses, place);
		return;
	}
	last->events += place->events;
	last->before_ns = place->before_ns;
}

static int compare_losses(const void *left, const void *right)
{
	const struct loss *a = left;
	const struct loss *b = right;

	if (a->after_ns != b->after_ns)
		return a->after_ns < b->after_ns ? -1 : 1;
	return (a->cpu > b->cpu) - (a->cpu < b->cpu);
}

void losses_sort(struct losses *losses)
{
	if (losses->count)
		qsort(losses->items, losses->count, sizeof(*losses->items), compare_losses);
}

bool losses_any(const struct losses *losses)
{
	return losses->count > 0 || losses->incomplete;
}

uint64_t losses_events(const struct losses *losses)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < losses->count; i++)
		sum = add_bounded(sum, losses->items[i].events);
	return sum;
}

/* --- Text --- */

static void describe_time(uint64_t ns, struct buffer *text)
{
	buffer_printf(text, "%" PRIu64 ".%06" PRIu64, ns / 1000000000, ns / 1000 % 1000000);
}

static void describe_cpu(const struct loss *loss, struct buffer *text)
{
	if (loss->events)
		buffer_printf(text, "%" PRIu64, loss->events);
	else
		buffer_text(text, "an unknown number");
	if (loss->cpu != LOSS_CPU_UNKNOWN)
		buffer_printf(text, " on CPU %" PRIu32, loss->cpu);
	else
		buffer_text(text, " on a CPU that the trace does not name");
	if (!loss->before_ns)
		return;
	if (loss->places > 1)
		buffer_printf(text, " at %" PRIu64 " places", loss->places);
	if (loss->after_ns) {
		buffer_text(text, " between ");
		describe_time(loss->after_ns, text);
	}
	buffer_text(text, loss->after_ns ? " and " : " before ");
	describe_time(loss->before_ns, text);
	buffer_text(text, " s");
}

static void join_places(const struct losses *losses, struct losses *cpus)
{
	for (size_t i = 0; i < losses->count; i++) {
		const struct loss *place = &losses->items[i];
		struct loss *cpu = find_cpu(cpus, place->cpu);
		if (!cpu) {
			append(cpus, place);
			continue;
		}
		cpu->places = (cpu->places ? cpu->places : 1) + (place->places ? place->places : 1);
		cpu->events = add_bounded(cpu->events, place->events);
		cpu->after_ns = place->after_ns < cpu->after_ns ? place->after_ns : cpu->after_ns;
		cpu->before_ns = place->before_ns > cpu->before_ns ? place->before_ns : cpu->before_ns;
	}
}

void losses_describe(const struct losses *losses, struct buffer *text)
{
	uint64_t events = losses_events(losses);
	struct losses cpus = {0};

	if (losses->count == 0) {
		buffer_text(text, "the end of the trace");
		return;
	}
	if (events)
		buffer_printf(text, "%" PRIu64 " event%s (", events, events == 1 ? "" : "s");
	else
		buffer_text(text, "events (");
	join_places(losses, &cpus);
	for (size_t i = 0; i < cpus.count && i < CPUS_SHOWN_MAX; i++) {
		if (i)
			buffer_text(text, ", ");
		describe_cpu(&cpus.items[i], text);
	}
	if (cpus.count > CPUS_SHOWN_MAX)
		buffer_printf(text, ", and on %zu more CPUs", cpus.count - CPUS_SHOWN_MAX);
	buffer_text(text, ")");
	if (losses->incomplete)
		buffer_text(text, " and the end of the trace");
	losses_free(&cpus);
}

void losses_free(struct losses *losses)
{
	free(losses->items);
	*losses = (struct losses){0};
}

uint64_t ring_stats_lost(const struct ring_stats *stats)
{
	return add_bounded(add_bounded(stats->overrun, stats->commit_overrun), stats->dropped_events);
}
