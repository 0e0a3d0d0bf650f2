/* SPDX-License-Identifier: MIT
 *
 * Gives analysis/migrations.h the events of a stream, with the stacks between them and the wakings of stoppers. */
#ifndef ANALYSIS_MIGRATION_FEED_H
#define ANALYSIS_MIGRATION_FEED_H

#include "analysis/migrations.h"
#include "format/kernel_stack.h"
#include "sched/stream.h"

struct migration_feed {
	struct migrations *migrations;
	bool has_stacks; /* the trace has stacks and names for them */
	/* Its own. */
	struct kernel_stack_layout stack;
	const struct kernel_symbols *symbols;
	struct kernel_symbols own_symbols;
	bool has_waking;
	uint32_t waking_id;
	struct event_field comm, pid, prio, target_cpu;
};

/* trace: the headers of the stream; NULL for a text trace. symbols: NULL for those of the trace. A live feed gives each
 * migration as soon as its stack is there, and goes by nothing else. */
enum status migration_feed_open(struct migration_feed *feed, const struct tracedat *trace,
				const struct kernel_symbols *symbols, bool is_live, struct error *err);
void migration_feed_close(struct migration_feed *feed);

/* The next event; stream is what it came from, NULL for a text trace. Then migrations_next(). */
enum status migration_feed_event(struct migration_feed *feed, const struct sched_stream *stream,
				 const struct sched_event *event, const struct migration_moment *moment,
				 struct error *err);

#endif
