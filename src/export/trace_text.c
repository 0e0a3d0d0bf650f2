/* SPDX-License-Identifier: MIT */
#include "export/trace_text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "export/event_text.h"
#include "export/task_names.h"
#include "export/trace_columns.h"
#include "trace/cpu_reader.h"
#include "trace/format/kernel_name.h"

#define EVENT_IDS    65536u /* common_type has 16 bits */
#define COMPILED_MAX 2048u  /* all events of a distribution's kernel; bounds the memory that a forged trace can use */

struct writer {
	struct input *input;
	const struct tracedat *trace;
	struct output_stream *sink;
	struct task_names names;
	const struct event_format **formats; /* by common_type; NULL if the trace has no such event */
	struct event_text **events;          /* the same formats, compiled at first use */
	unsigned int compiled;
	struct event_field type, flags, preempt_count;
	bool nanoseconds, has_lazy;
	bool annotate; /* events were overwritten: print the start of each CPU */
	bool *started; /* by CPU number */
	uint32_t cpus; /* capacity of started */
	uint64_t lines;
};

/* Counts the readable records: the header begins with their number. */
static enum status count_records(struct input *input, uint64_t *entries, uint64_t *written, struct error *err)
{
	const struct tracedat *trace = &input->trace;

	*entries = 0;
	*written = 0;
	for (size_t i = 0; i < trace->cpu_count; i++) {
		struct cpu_reader reader;
		const struct tracedat_cpu *cpu = &trace->cpus[i];
		cpu_reader_start(&reader, trace, cpu, input->name);
		while (cpu_reader_next(&reader, NULL) == STATUS_OK) {
			enum status status = input_step(input, err);
			++*entries;
			if (status != STATUS_OK)
				return status;
		}
		*written += cpu->has_stats ? cpu->overrun : reader.missed_events;
	}
	*written += *entries;
	return STATUS_OK;
}

/* These fields are the same in every event; the stream has checked that one exists. */
static enum status find_common_fields(struct writer *writer, struct error *err)
{
	const struct event_format *format = &writer->trace->events.formats[0];
	enum status status = event_format_field(format, "common_type", &writer->type, err);

	if (status == STATUS_OK)
		status = event_format_field(format, "common_flags", &writer->flags, err);
	if (status == STATUS_OK)
		status = event_format_field(format, "common_preempt_count", &writer->preempt_count, err);
	return status;
}

/* If two formats have the same number, the first is used. */
static void index_formats(const struct event_format_table *table, const struct event_format **formats)
{
	for (size_t i = table->count; i-- > 0;)
		if (table->formats[i].id < EVENT_IDS)
			formats[table->formats[i].id] = &table->formats[i];
}

static enum status prepare(struct writer *writer, struct error *err)
{
	const struct tracedat *trace = writer->trace;
	struct kernel_name kernel;
	enum status status = find_common_fields(writer, err);

	if (status != STATUS_OK)
		return status;
	kernel_name_parse(trace->uname, &kernel);
	writer->has_lazy = kernel.major > 6 || (kernel.major == 6 && kernel.minor >= 13);
	for (size_t i = 0; i < trace->cpu_count; i++) {
		if (writer->cpus <= trace->cpus[i].cpu)
			writer->cpus = trace->cpus[i].cpu + 1;
		writer->annotate |= trace->cpus[i].overrun > 0;
	}
	writer->started = xcalloc(writer->cpus + 1u, sizeof(*writer->started));
	writer->formats = xcalloc(EVENT_IDS, sizeof(struct event_format *));
	writer->events = xcalloc(EVENT_IDS, sizeof(struct event_text *));
	index_formats(&trace->events, writer->formats);
	task_names_parse((struct text_span){trace->cmdlines, trace->cmdlines_size}, &writer->names);
	return STATUS_OK;
}

static void forget_events(struct writer *writer)
{
	for (size_t id = 0; writer->events && id < EVENT_IDS; id++) {
		event_text_free(writer->events[id]);
		writer->events[id] = NULL;
	}
	writer->compiled = 0;
}

static void release(struct writer *writer)
{
	forget_events(writer);
	free(writer->events);
	free(writer->formats);
	free(writer->started);
	if (writer->names.slots)
		task_names_free(&writer->names);
}

/* The text of the event; NULL if the trace has no such event. */
static struct event_text *find_event(struct writer *writer, uint16_t id)
{
	if (!writer->events[id] && writer->formats[id]) {
		if (writer->compiled++ == COMPILED_MAX)
			forget_events(writer);
		writer->events[id] = event_text_compile(writer->formats[id]);
	}
	return writer->events[id];
}

/* The kernel reports events overwritten before a CPU's first event in its header, and events lost between two others
 * in a separate line. */
static void add_loss(const struct writer *writer, const struct sched_event *event, struct buffer *out)
{
	if (!writer->started[event->cpu])
		return;
	if (event->lost.count_known)
		buffer_printf(out, "CPU:%u [LOST %" PRIu64 " EVENTS]\n", event->cpu, event->lost.count);
	else
		buffer_printf(out, "CPU:%u [LOST EVENTS]\n", event->cpu);
}

static void add_event(struct writer *writer, const struct sched_event *event, const struct ring_record *record,
		      struct buffer *out)
{
	uint16_t id = (uint16_t)event_number(record, writer->type.offset, writer->type.size, false);
	struct event_text *text = find_event(writer, id);

	/* Like test_cpu_buff_start(), which requires an index above 1: not before the first two events of the whole
	 * trace. */
	if (writer->annotate && !writer->started[event->cpu] && writer->lines > 1)
		buffer_printf(out, "##### CPU %u buffer started ####\n", event->cpu);
	writer->started[event->cpu] = true;
	const struct trace_columns columns = {
	    .comm = task_names_find(&writer->names, event->common_pid),
	    .pid = event->common_pid,
	    .cpu = event->cpu,
	    .flags = (uint8_t)event_number(record, writer->flags.offset, 1, false),
	    .preempt_count = (uint8_t)event_number(record, writer->preempt_count.offset, 1, false),
	    .ts_ns = event->ts_ns,
	};
	trace_columns_add(&columns, writer->has_lazy, writer->nanoseconds, out);
	if (text)
		event_text_add(text, record, out);
	else
		buffer_printf(out, "Unknown type %u", id);
	buffer_text(out, "\n");
	writer->lines++;
}

static enum status write_events(struct writer *writer, struct sched_stream *stream, uint64_t *events, struct error *err)
{
	struct buffer *out = &writer->sink->pending;
	struct sched_event event;
	enum status status;

	while ((status = sched_stream_next(stream, &event, err)) == STATUS_OK) {
		if (event.kind == SCHED_LOST)
			add_loss(writer, &event, out);
		else
			add_event(writer, &event, sched_stream_record(stream), out);
		*events += event.kind != SCHED_LOST;
		status = input_step(writer->input, err);
		if (status == STATUS_OK)
			status = output_stream_write_if_full(writer->sink, err);
		if (status != STATUS_OK)
			return status;
	}
	return status == STATUS_END ? STATUS_OK : status;
}

enum status trace_text_write(struct input *input, struct sched_stream *stream, bool nanoseconds,
			     struct output_stream *sink, uint64_t *events, struct error *err)
{
	struct writer writer = {.input = input, .trace = &input->trace, .sink = sink, .nanoseconds = nanoseconds};
	uint64_t entries;
	uint64_t written;
	enum status status = prepare(&writer, err);

	*events = 0;
	if (status == STATUS_OK)
		status = count_records(input, &entries, &written, err);
	if (status == STATUS_OK) {
		trace_legend_add(entries, written, input->trace.cpu_count, &sink->pending);
		status = write_events(&writer, stream, events, err);
	}
	release(&writer);
	return status;
}
