/* SPDX-License-Identifier: MIT */
#include "export/perfetto.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "export/event_text.h"
#include "export/perfetto_keys.h"
#include "export/protobuf.h"
#include "export/task_table.h"
#include "measure/migration_reader.h"

/* Max bytes in the bundles of all CPUs before they are written. */
#define BUNDLES_BYTES ((size_t)1 << 20)

/* The unwritten events of one CPU, each a field of its FtraceEventBundle. */
struct bundle {
	struct buffer events;
	bool lost; /* events are missing before the first event */
};

struct writer {
	const struct perfetto_request *request;
	struct output_stream *sink;
	struct packet_maker maker;
	struct buffer event, part, whole;
	bool has_header;
	/* For the current trace: */
	const struct input *input;
	struct perfetto_group group;
	struct perfetto_keys keys;
	struct migration_reader migrations;
	struct perfetto_summary summary;
	struct bundle *bundles; /* by CPU number */
	uint32_t cpus;
	size_t pending; /* bytes in all bundles */
	struct task_table tasks;
	const struct event_format *mark; /* ftrace/print, or NULL */
	struct event_field mark_text, type;
	bool has_marks, waking_seen;
	uint64_t last_ts_ns;
};

/* The clock that is declared; times of several traces are on no clock. */
static const char *clock_of(const struct writer *writer)
{
	return writer->group.label ? "" : writer->input->trace.clock;
}

static void free_trace(struct writer *writer)
{
	for (uint32_t cpu = 0; writer->bundles && cpu < writer->cpus; cpu++)
		buffer_free(&writer->bundles[cpu].events);
	free(writer->bundles);
	writer->bundles = NULL;
	task_table_free(&writer->tasks);
	writer->tasks = (struct task_table){0};
}

static void choose_group(struct writer *writer, uint32_t number)
{
	const struct perfetto_label *labels = writer->request->labels;

	writer->group.number = number;
	if (!labels)
		return;
	writer->group.label = labels[number].label;
	writer->group.shift_ns = labels[number].shift_ns;
	writer->group.pid_base = (int32_t)(number + 1) * GROUP_PIDS;
	writer->group.cpu_base += number ? writer->cpus : 0;
}

static enum status begin_trace(void *context, const struct pass *pass, struct error *err)
{
	struct writer *writer = context;
	const uint32_t number = pass->run.number;
	const struct tracedat *trace = &writer->request->inputs[number].trace;
	const struct event_format *any = event_format_find(&trace->events, "sched", "sched_switch");
	enum status status = event_format_field(any, "common_type", &writer->type, err);

	if (status != STATUS_OK)
		return status;
	choose_group(writer, number);
	free_trace(writer);
	writer->input = &writer->request->inputs[number];
	writer->summary = (struct perfetto_summary){0};
	writer->has_marks = writer->waking_seen = false;
	writer->mark = event_format_find(&trace->events, "ftrace", "print");
	if (writer->mark && event_format_field(writer->mark, "buf", &writer->mark_text, NULL) != STATUS_OK)
		writer->mark = NULL;
	writer->mark_text.size = EVENT_RECORD_MAX; /* to the record's end, or its NUL */
	writer->cpus = 0;
	for (size_t i = 0; i < trace->cpu_count; i++)
		if (writer->cpus <= trace->cpus[i].cpu)
			writer->cpus = trace->cpus[i].cpu + 1;
	writer->bundles = xcalloc(writer->cpus + 1u, sizeof(*writer->bundles));
	return perfetto_keys_begin(&writer->keys, pass, err);
}

static void release(struct writer *writer)
{
	free_trace(writer);
	packet_maker_free(&writer->maker);
	perfetto_keys_free(&writer->keys);
	migration_reader_free(&writer->migrations);
	buffer_free(&writer->event);
	buffer_free(&writer->part);
	buffer_free(&writer->whole);
}

static void flush_bundle(struct writer *writer, uint32_t cpu)
{
	struct bundle *bundle = &writer->bundles[cpu];

	if (bundle->events.length == 0)
		return;
	buffer_clear(&writer->whole);
	protobuf_unsigned(&writer->whole, BUNDLE_CPU, writer->group.cpu_base + cpu);
	if (bundle->lost)
		protobuf_unsigned(&writer->whole, BUNDLE_LOST_EVENTS, 1);
	if (strcmp(clock_of(writer), "mono_raw") == 0)
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

static enum ftrace_event_field encode_switch(const struct perfetto_group *group, struct buffer *part,
					     const struct sched_event *event)
{
	add_name(part, SWITCH_PREV_COMM, &event->switched.prev.comm);
	protobuf_signed(part, SWITCH_PREV_PID, group_pid(group, event->switched.prev.pid));
	protobuf_signed(part, SWITCH_PREV_PRIO, event->switched.prev.prio);
	protobuf_unsigned(part, SWITCH_PREV_STATE, event->switched.prev_state);
	add_name(part, SWITCH_NEXT_COMM, &event->switched.next.comm);
	protobuf_signed(part, SWITCH_NEXT_PID, group_pid(group, event->switched.next.pid));
	protobuf_signed(part, SWITCH_NEXT_PRIO, event->switched.next.prio);
	return EVENT_SCHED_SWITCH;
}

/* The three wakeup events have the same field numbers. */
static enum ftrace_event_field encode_wakeup(const struct perfetto_group *group, struct buffer *part,
					     const struct sched_event *event)
{
	add_name(part, WAKEUP_COMM, &event->wakeup.task.comm);
	protobuf_signed(part, WAKEUP_PID, group_pid(group, event->wakeup.task.pid));
	protobuf_signed(part, WAKEUP_PRIO, event->wakeup.task.prio);
	protobuf_unsigned(part, WAKEUP_TARGET_CPU, group->cpu_base + event->wakeup.target_cpu);
	return event->kind == SCHED_WAKEUP   ? EVENT_SCHED_WAKEUP
	       : event->kind == SCHED_WAKING ? EVENT_SCHED_WAKING
					     : EVENT_SCHED_WAKEUP_NEW;
}

static enum ftrace_event_field encode_migration(const struct perfetto_group *group, struct buffer *part,
						const struct sched_event *event)
{
	add_name(part, MIGRATE_COMM, &event->migrate.task.comm);
	protobuf_signed(part, MIGRATE_PID, group_pid(group, event->migrate.task.pid));
	protobuf_signed(part, MIGRATE_PRIO, event->migrate.task.prio);
	protobuf_unsigned(part, MIGRATE_ORIG_CPU, group->cpu_base + event->migrate.from_cpu);
	protobuf_unsigned(part, MIGRATE_DEST_CPU, group->cpu_base + event->migrate.to_cpu);
	return EVENT_SCHED_MIGRATE_TASK;
}

/* Adds a mark on its track. */
static void add_mark(struct writer *writer, uint64_t ts_ns, const char *text, size_t length)
{
	const struct packet_track track = {
	    .uuid = group_uuid(&writer->group, TRACK_OF_MARKS, 0, 0),
	    .parent_uuid = writer->group.label ? perfetto_group_track(&writer->keys) : 0,
	    .name = "marks",
	};

	if (!writer->has_marks)
		packet_add_track(&writer->maker, &track, &writer->sink->pending);
	writer->has_marks = true;
	packet_add_event(&writer->maker, TRACK_EVENT_INSTANT, group_time(&writer->group, ts_ns), track.uuid, text,
			 length, &writer->sink->pending);
}

/* Fills writer->part. False if the event is of a kind that is not exported. */
static bool encode(struct writer *writer, const struct sched_event *event, const struct ring_record *record,
		   enum ftrace_event_field *field)
{
	struct buffer *part = &writer->part;

	buffer_clear(part);
	switch (event->kind) {
	case SCHED_SWITCH:
		*field = encode_switch(&writer->group, part, event);
		task_table_note(&writer->tasks, &event->switched.prev);
		task_table_note(&writer->tasks, &event->switched.next);
		return true;
	case SCHED_WAKEUP:
	case SCHED_WAKEUP_NEW:
		*field = encode_wakeup(&writer->group, part, event);
		task_table_note(&writer->tasks, &event->wakeup.task);
		return true;
	case SCHED_WAKING:
		*field = encode_wakeup(&writer->group, part, event);
		writer->waking_seen = true;
		return true;
	case SCHED_MIGRATE:
		*field = encode_migration(&writer->group, part, event);
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
	add_mark(writer, event->ts_ns, text.text, text.length);
	*field = EVENT_PRINT;
	return true;
}

static void add_to_bundle(struct writer *writer, const struct sched_event *event, enum ftrace_event_field field)
{
	struct buffer *events = &writer->bundles[event->cpu].events;
	size_t before = events->length;

	buffer_clear(&writer->event);
	protobuf_unsigned(&writer->event, EVENT_TIMESTAMP, group_time(&writer->group, event->ts_ns));
	protobuf_unsigned(&writer->event, EVENT_PID, (uint32_t)group_pid(&writer->group, event->common_pid));
	protobuf_bytes(&writer->event, field, writer->part.data, writer->part.length);
	protobuf_bytes(events, BUNDLE_EVENT, writer->event.data, writer->event.length);
	writer->pending += events->length - before;
}

static void add_header(struct writer *writer, uint64_t ts_ns)
{
	if (!writer->has_header)
		packet_add_header(&writer->maker, &writer->input->trace, clock_of(writer),
				  group_time(&writer->group, ts_ns), &writer->sink->pending);
	writer->has_header = true;
}

static enum status add_event(struct writer *writer, const struct sched_event *event, const struct ring_record *record,
			     struct error *err)
{
	enum ftrace_event_field field;

	writer->last_ts_ns = group_time(&writer->group, event->ts_ns);
	if (!encode(writer, event, record, &field)) {
		writer->summary.other_events++;
		return STATUS_OK;
	}
	writer->summary.events++;
	if (event->kind == SCHED_WAKEUP && !writer->waking_seen)
		add_to_bundle(writer, event, EVENT_SCHED_WAKING);
	add_to_bundle(writer, event, field);
	if (writer->pending >= BUNDLES_BYTES)
		return flush_bundles(writer, err);
	return STATUS_OK;
}

static enum status take_step(void *context, const struct pass *pass, const struct sched_event *event,
			     const struct task_step *step, struct error *err)
{
	struct writer *writer = context;
	enum status status = STATUS_OK;

	if (event->kind == SCHED_LOST && event->cpu < writer->cpus) {
		flush_bundle(writer, event->cpu);
		writer->bundles[event->cpu].lost = true;
	}
	if (!sched_event_is_loss(event)) {
		add_header(writer, event->ts_ns);
		status = add_event(writer, event, sched_stream_record(sched_source_stream(pass->run.source)), err);
	}
	if (status == STATUS_OK)
		status = perfetto_keys_step(&writer->keys, pass, event, step, err);
	return status == STATUS_OK ? output_stream_write_if_full(writer->sink, err) : status;
}

/* An instant on the row of the task: sched_migrate_task does not say why. */
static enum status add_migration(void *context, const struct pass *pass, const struct migration *migration,
				 struct error *err)
{
	struct writer *writer = context;
	struct buffer *out = &writer->sink->pending, *text = &writer->part;
	const uint64_t track = perfetto_task_track(&writer->keys, &pass->states, migration->number);

	buffer_clear(text);
	buffer_printf(text, "moves from CPU %" PRIu32 " to CPU %" PRIu32 ": ", migration->from_cpu, migration->to_cpu);
	migration_add_cause(migration, text);
	packet_add_event(&writer->maker, TRACK_EVENT_INSTANT, group_time(&writer->group, migration->ts_ns), track,
			 text->data, text->length, out);
	return output_stream_write_if_full(writer->sink, err);
}

/* --- Names of tasks --- */

/* Tasks are named in packets of so many. */
#define PACKET_TASKS 512u

static void name_task(struct writer *writer, const struct pass *pass, const struct seen_task *task)
{
	const int32_t tid = group_pid(&writer->group, task->pid), pid = group_process(&writer->group, tid);
	const uint32_t number = writer->group.label ? task_states_find(&pass->states, task->pid, 0) : TASK_NONE;
	char label[GROUP_LABEL_SIZE];

	if (!writer->group.label)
		packet_name_process(&writer->maker, pid, task->comm.bytes, task->comm.length);
	if (number == TASK_NONE) {
		packet_name_thread(&writer->maker, tid, pid, task->comm.bytes, task->comm.length);
		return;
	}
	group_label_task(&writer->group, &pass->states, number, label);
	packet_name_thread(&writer->maker, tid, pid, label, strlen(label));
}

static enum status name_tasks(struct writer *writer, const struct pass *pass, struct error *err)
{
	const struct task_table *table = &writer->tasks;
	enum status status = STATUS_OK;
	size_t added = 0;

	task_table_sort(&writer->tasks);
	if (writer->group.label)
		packet_name_process(&writer->maker, writer->group.pid_base, writer->group.label,
				    strlen(writer->group.label));
	for (size_t i = 0; i < table->size && status == STATUS_OK; i++) {
		if (table->slots[i].pid == 0)
			continue;
		name_task(writer, pass, &table->slots[i]);
		if (++added % PACKET_TASKS == 0) {
			packet_end_tasks(&writer->maker, writer->last_ts_ns, &writer->sink->pending);
			status = output_stream_write_if_full(writer->sink, err);
		}
	}
	packet_end_tasks(&writer->maker, writer->last_ts_ns, &writer->sink->pending);
	return status;
}

static enum status end_trace(void *context, const struct pass *pass, struct error *err)
{
	struct writer *writer = context;
	const struct perfetto_label *label =
	    writer->request->labels ? &writer->request->labels[pass->run.number] : NULL;

	add_header(writer, 0);
	if (label && label->mark)
		add_mark(writer, label->mark_ns, label->mark, strlen(label->mark));
	enum status status = flush_bundles(writer, err);
	if (status == STATUS_OK)
		status = name_tasks(writer, pass, err);
	writer->summary.tasks = writer->tasks.count;
	writer->summary.tasks_left_out = writer->tasks.left_out;
	writer->summary.has_keys = writer->keys.rules.keys.is_known;
	if (status == STATUS_OK && writer->request->report)
		writer->request->report(writer->input, sched_source_stream(pass->run.source), &writer->summary);
	return status;
}

enum status perfetto_write(const struct perfetto_request *request, struct output_stream *sink, struct error *err)
{
	struct writer writer = {.request = request, .sink = sink};
	const struct pass_options options = {.with_roles = request->labels};
	struct pass pass = {0};

	writer.migrations.consumer = (struct migration_consumer){
	    .pass = {.context = &writer, .begin = begin_trace, .step = take_step, .end = end_trace},
	    .take = add_migration,
	};
	const struct pass_consumer consumer = migration_reader_consumer(&writer.migrations);
	writer.keys = (struct perfetto_keys){
	    .group = &writer.group, .maker = &writer.maker, .out = &sink->pending, .is_off = request->without_keys};
	enum status status = pass_read_inputs(&options, request->inputs, request->count, &consumer, &pass, err);
	release(&writer);
	pass_free(&pass);
	return status;
}
