/* SPDX-License-Identifier: MIT */
#include "measure/migration_feed.h"

#include <string.h>

#include "trace/format/event_text.h"

static void find_waking(struct migration_feed *feed, const struct event_format_table *events)
{
	const struct event_format *format = event_format_find(events, "sched", "sched_waking");

	feed->has_waking = format && event_format_field(format, "comm", &feed->comm, NULL) == STATUS_OK &&
			   event_format_field(format, "pid", &feed->pid, NULL) == STATUS_OK &&
			   event_format_field(format, "prio", &feed->prio, NULL) == STATUS_OK &&
			   event_format_field(format, "target_cpu", &feed->target_cpu, NULL) == STATUS_OK;
	if (feed->has_waking)
		feed->waking_id = format->id;
}

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
	if (trace) {
		kernel_stack_layout_make(&trace->events, trace->layout.commit_size, &feed->stack);
		find_waking(feed, &trace->events);
	}
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

static int64_t number(const struct ring_record *record, const struct event_field *field)
{
	return (int64_t)event_number(record, field->offset, field->size, field->is_signed);
}

static enum status take_waking(struct migration_feed *feed, const struct ring_record *record,
			       const struct sched_event *event, struct error *err)
{
	struct text_span comm = event_string(record, &feed->comm);
	struct sched_task task = {
	    .pid = (int32_t)number(record, &feed->pid),
	    .prio = (int32_t)number(record, &feed->prio),
	};

	task.comm.length = (uint8_t)(comm.length < SCHED_COMM_SIZE ? comm.length : SCHED_COMM_SIZE);
	memcpy(task.comm.bytes, comm.text, task.comm.length);
	return migrations_waking(feed->migrations, event, &task, (uint32_t)number(record, &feed->target_cpu), err);
}

enum { STACK_DEPTH_MAX = 64 };

enum status migration_feed_event(struct migration_feed *feed, const struct sched_stream *stream,
				 const struct sched_event *event, const struct migration_moment *moment,
				 struct error *err)
{
	uint64_t addresses[STACK_DEPTH_MAX];

	if (event->kind == SCHED_OTHER_EVENT && stream) {
		const struct ring_record *record = sched_stream_record(stream);
		uint16_t type;
		memcpy(&type, record->data, sizeof(type));
		if (feed->has_stacks && kernel_stack_is(&feed->stack, record)) {
			size_t count = kernel_stack_read(&feed->stack, record, addresses, STACK_DEPTH_MAX);
			migrations_stack(feed->migrations, event, feed->symbols, addresses, count);
			return STATUS_OK;
		}
		if (feed->has_waking && type == feed->waking_id)
			return take_waking(feed, record, event, err);
	}
	return migrations_event(feed->migrations, event, moment, err);
}
