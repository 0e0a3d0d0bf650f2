/* SPDX-License-Identifier: MIT
 *
 * Counts the migrations of a live stream of all CPUs in periods, in memory that is fixed from the start. Pure. */
#ifndef MEASURE_MIGRATION_COUNTS_H
#define MEASURE_MIGRATION_COUNTS_H

#include "measure/migration_feed.h"
#include "measure/migration_periods.h"

/* Zeroed, except what the caller sets. */
struct migration_counts {
	/* Set by the caller: period_ms and fields of periods, and: */
	uint64_t end_ns; /* later migrations do not count; UINT64_MAX: no end */
	struct migration_periods periods;
	/* Results. */
	uint64_t migrations;
	uint64_t lost; /* events, from the start */
	/* Internal. */
	struct migration_feed feed;
	uint32_t *cpus;
};

/* For CPUs 0 to cpu_count - 1, from start_ns. trace and symbols: as migration_feed_open(). */
enum status migration_counts_begin(struct migration_counts *counts, const struct tracedat *trace,
				   const struct kernel_symbols *symbols, unsigned int cpu_count, uint64_t start_ns,
				   struct error *err);
/* Memory used, in bytes. */
uint64_t migration_counts_memory(const struct migration_counts *counts);
void migration_counts_free(struct migration_counts *counts);

/* Processes the next event of the stream. Adds the lines of periods that have ended. */
enum status migration_counts_event(struct migration_counts *counts, const struct sched_stream *stream,
				   const struct sched_event *event, struct buffer *out, struct error *err);
/* The end of the current period. */
uint64_t migration_counts_due_ns(const struct migration_counts *counts);
/* Adds the lines of all periods that have ended by now_ns. lost: events lost from the start. */
void migration_counts_until(struct migration_counts *counts, uint64_t now_ns, uint64_t lost, struct buffer *out);
/* The same for the last, incomplete period. */
void migration_counts_end(struct migration_counts *counts, uint64_t now_ns, uint64_t lost, struct buffer *out);

#endif
