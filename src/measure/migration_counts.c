/* SPDX-License-Identifier: MIT */
#include "measure/migration_counts.h"

#include <stdlib.h>

#include "base/memory.h"

enum status migration_counts_begin(struct migration_counts *counts, const struct tracedat *trace,
				   const struct kernel_symbols *symbols, unsigned int cpu_count, uint64_t start_ns,
				   struct error *err)
{
	enum status status = migration_feed_open(&counts->feed, trace, symbols, true, err);

	if (status != STATUS_OK)
		return status;
	counts->cpus = xcalloc(cpu_count, sizeof(*counts->cpus));
	for (unsigned int cpu = 0; cpu < cpu_count; cpu++)
		counts->cpus[cpu] = cpu;
	counts->periods.cpus = counts->cpus;
	counts->periods.cpu_count = cpu_count;
	return migration_periods_begin(&counts->periods, start_ns, err);
}

uint64_t migration_counts_memory(const struct migration_counts *counts)
{
	return migrations_memory(counts->feed.migrations, counts->periods.cpu_count) +
	       migration_periods_memory(&counts->periods);
}

void migration_counts_free(struct migration_counts *counts)
{
	migration_feed_close(&counts->feed);
	migration_periods_free(&counts->periods);
	free(counts->cpus);
}

enum status migration_counts_event(struct migration_counts *counts, const struct sched_stream *stream,
				   const struct sched_event *event, struct buffer *out, struct error *err)
{
	const struct migration_context context = {.state = TASK_UNKNOWN, .current_prio = -1};
	struct migration migration;
	enum status status = migration_feed_event(&counts->feed, stream, event, &context, err);

	if (status != STATUS_OK)
		return status;
	while (migrations_next(counts->feed.migrations, &migration)) {
		if (migration.ts_ns >= counts->end_ns)
			continue;
		counts->migrations++;
		migration_periods_add(&counts->periods, &migration, out);
	}
	return STATUS_OK;
}

uint64_t migration_counts_due_ns(const struct migration_counts *counts)
{
	return counts->periods.start_ns + counts->periods.period_ms * 1000000;
}

static void add_losses(struct migration_counts *counts, uint64_t lost)
{
	migration_periods_lost(&counts->periods, lost - counts->lost);
	counts->lost = lost;
}

static uint64_t before_end(const struct migration_counts *counts, uint64_t now_ns)
{
	return now_ns < counts->end_ns ? now_ns : counts->end_ns;
}

void migration_counts_until(struct migration_counts *counts, uint64_t now_ns, uint64_t lost, struct buffer *out)
{
	add_losses(counts, lost);
	migration_periods_until(&counts->periods, before_end(counts, now_ns), out);
}

void migration_counts_end(struct migration_counts *counts, uint64_t now_ns, uint64_t lost, struct buffer *out)
{
	add_losses(counts, lost);
	if (now_ns < counts->end_ns || counts->periods.start_ns < counts->end_ns)
		migration_periods_end(&counts->periods, before_end(counts, now_ns), out);
}
