/* SPDX-License-Identifier: MIT
 *
 * Passes the events of a stream to measure/migrations.h, including stacks and the sched_waking of stoppers. */
#ifndef MEASURE_MIGRATION_FEED_H
#define MEASURE_MIGRATION_FEED_H

#include "measure/migrations.h"
#include "trace/format/kernel_stack.h"
#include "trace/stream.h"

struct migration_feed {
	struct migrations *migrations;
	bool has_stacks; /* the trace has stacks and names for them */
	/* Internal. */
	struct kernel_stack_layout stack;
	const struct kernel_symbols *symbols;
	struct kernel_symbols own_symbols;
};

/* trace: the headers of the stream; NULL for a text trace. symbols: NULL for those of the trace. A live feed returns
 * each migration as soon as its stack is available, and uses only stacks. */
enum status migration_feed_open(struct migration_feed *feed, const struct tracedat *trace,
				const struct kernel_symbols *symbols, bool is_live, struct error *err);
void migration_feed_close(struct migration_feed *feed);

/* Processes the next event; stream is its source, NULL for a text trace. Then call migrations_next(). */
enum status migration_feed_event(struct migration_feed *feed, const struct sched_stream *stream,
				 const struct sched_event *event, const struct migration_context *context,
				 struct error *err);

#endif
