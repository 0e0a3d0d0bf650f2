/* SPDX-License-Identifier: MIT */
#include "export/perfetto.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "export/perfetto_packet.h"
#include "export/protobuf.h"
#include "trace/format/event_text.h"

/* Max bytes in the bundles of all CPUs before they are written. */
#define BUNDLES_BYTES ((size_t)1 << 20)

/* The unwritten events of one CPU, each a field of its FtraceEventBundle. */
struct bundle {
	struct buffer events;
	bool lost; /* events are missing before the first event */
};

struct writer {
	const struct tracedat *trace;
	struct output_stream *sink;
	struct packet_maker maker;
	struct buffer event, part, whole;
	struct bundle *bundles; /* by CPU number */
	uint32_t cpus;
	size_t pending; /* bytes in all bundles */
	bool is_mono_raw;
	struct task_table tasks;
	const struct event_format *mark; /* ftrace/print, or NULL */
	struct event_field mark_text, type;
	bool waking_seen;
	uint64_t last_ts_ns;
	bool has_header;
};

static enum status prepare(struct writer *writer, struct error *err)
{
	const struct tracedat *trace = writer->trace;
	const struct event_format *any = event_format_find(&trace->events, "sched", "sched_switch");
	enum status status = event_format_field(any, "common_type", &writer->type, err);

	if (status != STATUS_OK)
		return status;
	writer->is_mono_raw = strcmp(trace->clock, "mono_raw") == 0;
	writer->mark = event_format_find(&trace->events, "ftrace", "print");
	if (writer->mark && event_format_field(writer->mark, "buf", &writer->mark_text, NULL) != STATUS_OK)
		writer->mark = NULL;
	writer->mark_text.size = EVENT_RECORD_MAX; /* to the record's end, or its NUL */
	for (size_t i = 0; i < trace->cpu_count; i++)
		if (writer->cpus <= trace->cpus[i].cpu)
			writer->cpus = trace->cpus[i].cpu + 1;
	writer->bundles = xcalloc(writer->cpus + 1u, sizeof(*writer->bundles));
	return STATUS_OK;
}

static void release(struct writer *writer)
{
	for (uint32_t cpu = 0; writer->bundles && cpu < writer->cpus; cpu++)
		buffer_free(&writer->bundles[cpu].events);
	free(writer->bundles);
	packet_maker_free(&writer->maker);
	buffer_free(&writer->event);
	buffer_free(&writer->part);
	buffer_free(&writer->whole);
	task_table_free(&writer->tasks);
}

static void flush_bundle(struct writer *writer, uint32_t cpu)
{
	struct bundle *bundle = &writer->bundles[cpu];

	if (bundle->events.length == 0)
		return;
	buffer_clear(&writer->whole);
	protobuf_unsigned(&writer->whole, BUNDLE_CPU, cpu);
	if (bundle->lost)
		protobuf_unsigned(&writer->whole, BUNDLE_LOST_EVENTS, 1);
	if (writer->is_mono_raw)
		protobuf_unsigned(&writer->whole, BUNDLE_CLOCK, BUNDLE_CLOCK_MONO_RAW);
	buffer_add(&writer->whole, bundle->events.data, bundle->events.length);
	packet_add(&writer->maker, PACKET_FTRACE_EVENTS, &writer->whole, &writer->sink->pending);
	writer->pending -= bundle->events.length;
	buffer_clear(&bundle->events);
	bundle->lost = false;
}

static enum status flush_bundles(struct writer *writer, struct error *err)
{
	for (uint32_t cpu = 0; cpu < writer->cpus; cpu++)
		flush_bundle(writer, cpu);
	return output_stream_write_if_full(writer->sink, err);
}

static void add_name(struct buffer *part, uint32_t field, const struct sched_comm *comm)
{
	protobuf_text(part, field, comm->bytes, comm->length);
}

static enum ftrace_event_field encode_switch(struct buffer *part, const struct sched_event *event)
{
	add_name(part, SWITCH_PREV_COMM, &event->switched.prev.comm);
	protobuf_signed(part, SWITCH_PREV_PID, event->switched.prev.pid);
	protobuf_signed(part, SWITCH_PREV_PRIO, event->switched.prev.prio);
	protobuf_unsigned(part, SWITCH_PREV_STATE, event->switched.prev_state);
	add_name(part, SWITCH_NEXT_COMM, &event->switched.next.comm);
	protobuf_signed(part, SWITCH_NEXT_PID, event->switched.next.pid);
	protobuf_signed(part, SWITCH_NEXT_PRIO, event->switched.next.prio);
	return EVENT_SCHED_SWITCH;
}

/* The fields of the three events have the same numbers. */
static enum ftrace_event_field encode_wakeup(struct buffer *part, const struct sched_event *event)
{
	add_name(part, WAKEUP_COMM, &event->wakeup.task.comm);
	protobuf_signed(part, WAKEUP_PID, event->wakeup.task.pid);
	protobuf_signed(part, WAKEUP_PRIO, event->wakeup.task.prio);
	protobuf_unsigned(part, WAKEUP_TARGET_CPU, event->wakeup.target_cpu);
	return event->kind == SCHED_WAKEUP   ? EVENT_SCHED_WAKEUP
	       : event->kind == SCHED_WAKING ? EVENT_SCHED_WAKING
					     : EVENT_SCHED_WAKEUP_NEW;
}

static enum ftrace_event_field encode_migration(struct buffer *part, const struct sched_event *event)
{
	add_name(part, MIGRATE_COMM, &event->migrate.task.comm);
	protobuf_signed(part, MIGRATE_PID, event->migrate.task.pid);
	protobuf_signed(part, MIGRATE_PRIO, event->migrate.task.prio);
	protobuf_unsigned(part, MIGRATE_ORIG_CPU, event->migrate.from_cpu);
	protobuf_unsigned(part, MIGRATE_DEST_CPU, event->migrate.to_cpu);
	return EVENT_SCHED_MIGRATE_TASK;
}

/* Fills writer->part. False if the event is of a kind that is not exported. */
static bool encode(struct writer *writer, const struct sched_event *event, const struct ring_record *record,
		   enum ftrace_event_field *field)
{
	struct buffer *part = &writer->part;

	buffer_clear(part);
	switch (event->kind) {
	case SCHED_SWITCH:
		*field = encode_switch(part, event);
		task_table_note(&writer->tasks, &event->switched.prev);
		task_table_note(&writer->tasks, &event->switched.next);
		return true;
	case SCHED_WAKEUP:
	case SCHED_WAKEUP_NEW:
		*field = encode_wakeup(part, event);
		task_table_note(&writer->tasks, &event->wakeup.task);
		return true;
	case SCHED_WAKING:
		*field = encode_wakeup(part, event);
		writer->waking_seen = true;
		return true;
	case SCHED_MIGRATE:
		*field = encode_migration(part, event);
		task_table_note(&writer->tasks, &event->migrate.task);
		return true;
	default:
		break;
	}
	uint64_t id = event_number(record, writer->type.offset, writer->type.size, false);
	if (!writer->mark || id != writer->mark->id)
		return false;
	struct text_span text = event_string(record, &writer->mark_text);
	protobuf_text(part, PRINT_BUF, text.text, text.length);
	while (text.length && text.text[text.length - 1] == '\n')
		text.length--;
	packet_add_mark(&writer->maker, event->ts_ns, text.text, text.length, &writer->sink->pending);
	*field = EVENT_PRINT;
	return true;
}

static void add_to_bundle(struct writer *writer, const struct sched_event *event, enum ftrace_event_field field)
{
	struct buffer *events = &writer->bundles[event->cpu].events;
	size_t before = events->length;

	buffer_clear(&writer->event);
	protobuf_unsigned(&writer->event, EVENT_TIMESTAMP, event->ts_ns);
	protobuf_unsigned(&writer->event, EVENT_PID, (uint32_t)event->common_pid);
	protobuf_bytes(&writer->event, field, writer->part.data, writer->part.length);
	protobuf_bytes(events, BUNDLE_EVENT, writer->event.data, writer->event.length);
	writer->pending += events->length - before;
}

static enum status add_event(struct writer *writer, const struct sched_event *event, const struct ring_record *record,
			     struct perfetto_summary *summary, struct error *err)
{
	struct bundle *bundle = &writer->bundles[event->cpu];
	enum ftrace_event_field field;

	if (event->kind == SCHED_LOST) {
		flush_bundle(writer, event->cpu);
		bundle->lost = true;
		return STATUS_OK;
	}
	if (!writer->has_header)
		packet_add_header(&writer->maker, writer->trace, event->ts_ns, &writer->sink->pending);
	writer->has_header = true;
	writer->last_ts_ns = event->ts_ns;
	if (!encode(writer, event, record, &field)) {
		summary->other_events++;
		return STATUS_OK;
	}
	summary->events++;
	if (event->kind == SCHED_WAKEUP && !writer->waking_seen)
		add_to_bundle(writer, event, EVENT_SCHED_WAKING);
	add_to_bundle(writer, event, field);
	if (writer->pending >= BUNDLES_BYTES)
		return flush_bundles(writer, err);
	return STATUS_OK;
}

static enum status finish(struct writer *writer, struct error *err)
{
	size_t at = 0;

	if (!writer->has_header)
		packet_add_header(&writer->maker, writer->trace, 0, &writer->sink->pending);
	enum status status = flush_bundles(writer, err);
	task_table_sort(&writer->tasks);
	while (status == STATUS_OK && at < writer->tasks.size) {
		packet_add_tasks(&writer->maker, &writer->tasks, &at, writer->last_ts_ns, &writer->sink->pending);
		status = output_stream_write_if_full(writer->sink, err);
	}
	return status;
}

enum status perfetto_write(struct input *input, struct sched_stream *stream, struct output_stream *sink,
			   struct perfetto_summary *summary, struct error *err)
{
	struct writer writer = {.trace = &input->trace, .sink = sink};
	struct sched_event event;
	enum status status = prepare(&writer, err);

	*summary = (struct perfetto_summary){0};
	while (status == STATUS_OK) {
		status = sched_stream_next(stream, &event, err);
		if (status != STATUS_OK)
			break;
		/* A loss has no record. */
		const struct ring_record *record = event.kind == SCHED_LOST ? NULL : sched_stream_record(stream);
		status = add_event(&writer, &event, record, summary, err);
		if (status == STATUS_OK)
			status = input_step(input, err);
	}
	if (status == STATUS_END)
		status = finish(&writer, err);
	summary->tasks = writer.tasks.count;
	summary->tasks_left_out = writer.tasks.left_out;
	release(&writer);
	return status;
}
