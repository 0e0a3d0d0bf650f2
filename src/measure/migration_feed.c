/* SPDX-License-Identifier: MIT */
#include "measure/migration_feed.h"

#include <string.h>

#include "trace/format/event_text.h"

enum status migration_feed_open(struct migration_feed *feed, const struct tracedat *trace,
				const struct kernel_symbols *symbols, bool is_live, struct error *err)
{
	enum status status = STATUS_OK;

	*feed = (struct migration_feed){.symbols = symbols};
	if (!symbols) {
		feed->symbols = &feed->own_symbols;
		if (trace && trace->kallsyms_size)
			kernel_symbols_make((struct text_span){trace->kallsyms, trace->kallsyms_size},
					    &feed->own_symbols);
	}
	if (status != STATUS_OK)
		return status;
	if (trace)
		kernel_stack_layout_make(&trace->events, trace->layout.commit_size, &feed->stack);
	feed->has_stacks = feed->stack.known && feed->symbols->count;
	status = migrations_open(feed->has_stacks, is_live, &feed->migrations, err);
	if (status != STATUS_OK)
		migration_feed_close(feed);
	else if (trace && trace->followed_only)
		migrations_follow(feed->migrations);
	return status;
}

void migration_feed_close(struct migration_feed *feed)
{
	migrations_close(feed->migrations);
	kernel_symbols_free(&feed->own_symbols);
	feed->migrations = NULL;
}

enum { STACK_DEPTH_MAX = 64 };

enum status migration_feed_event(struct migration_feed *feed, const struct sched_stream *stream,
				 const struct sched_event *event, const struct migration_context *context,
				 struct error *err)
{
	uint64_t addresses[STACK_DEPTH_MAX];

	if (event->kind == SCHED_WAKING)
		return migrations_waking(feed->migrations, event, &event->wakeup.task, event->wakeup.target_cpu, err);
	if (event->kind == SCHED_OTHER_EVENT && stream && feed->has_stacks) {
		const struct ring_record *record = sched_stream_record(stream);
		if (kernel_stack_is(&feed->stack, record)) {
			size_t count = kernel_stack_read(&feed->stack, record, addresses, STACK_DEPTH_MAX);
			migrations_stack(feed->migrations, event, feed->symbols, addresses, count);
			return STATUS_OK;
		}
	}
	return migrations_event(feed->migrations, event, context, err);
}
