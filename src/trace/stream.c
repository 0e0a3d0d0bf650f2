/* SPDX-License-Identifier: MIT */
#include "trace/stream.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "trace/cpu_reader.h"
#include "trace/decode.h"
#include "trace/format/state_names.h"

/* A CPU in the heap, ordered by the time of its current record. */
struct heap_entry {
	uint64_t ts;
	size_t index;
};

struct sched_stream {
	const struct tracedat *trace;
	char *name;
	struct sched_decoder decoder;
	struct state_names states;  /* count 0: the trace has no sched_switch */
	struct cpu_reader *readers; /* one for each CPU of the trace */
	uint64_t from_ns, until_ns; /* current range of times; unlimited except for a live stream */
	struct heap_entry *heap;    /* the CPUs with a record, earliest first */
	size_t heap_count;
	uint64_t run_ns;         /* the first CPU's records before this time precede those of all other CPUs */
	struct cpu_reader *used; /* the first CPU, if its record was returned: advance it before the next event */
	bool tells_gaps;
	bool has_gap; /* a SCHED_GAP is to be returned first: */
	uint64_t gap_ns;
	uint32_t gap_cpu;
	bool loss_given; /* the loss before the first CPU's record was returned */
	enum status failed;
	struct error failure;
};

static bool is_before(struct heap_entry a, struct heap_entry b)
{
	return a.ts < b.ts || (a.ts == b.ts && a.index < b.index);
}

/* Moves entry down from position to restore the heap order. */
static void sift_down(struct sched_stream *stream, size_t position, struct heap_entry entry)
{
	struct heap_entry *heap = stream->heap;

	for (;;) {
		size_t child = 2 * position + 1;
		if (child >= stream->heap_count)
			break;
		if (child + 1 < stream->heap_count && is_before(heap[child + 1], heap[child]))
			child++;
		if (!is_before(heap[child], entry))
			break;
		heap[position] = heap[child];
		position = child;
	}
	heap[position] = entry;
}

static void sift_up(struct sched_stream *stream, size_t position, struct heap_entry entry)
{
	struct heap_entry *heap = stream->heap;

	while (position && is_before(entry, heap[(position - 1) / 2])) {
		heap[position] = heap[(position - 1) / 2];
		position = (position - 1) / 2;
	}
	heap[position] = entry;
}

/* Updates run_ns; call it after each change of the heap. */
static void find_run(struct sched_stream *stream)
{
	uint64_t run_ns = stream->until_ns;

	for (size_t child = 1; child <= 2 && child < stream->heap_count; child++)
		if (stream->heap[child].ts < run_ns)
			run_ns = stream->heap[child].ts;
	stream->run_ns = run_ns;
}

/* Adds every CPU with a record to the heap, unless it is there already. */
static enum status fill_heap(struct sched_stream *stream, struct error *err)
{
	for (size_t i = 0; i < stream->trace->cpu_count; i++) {
		if (stream->readers[i].has_record)
			continue;
		enum status status = cpu_reader_next(&stream->readers[i], err);
		if (status == STATUS_END)
			continue;
		if (status != STATUS_OK)
			return status;
		stream->heap_count++;
		sift_up(stream, stream->heap_count - 1, (struct heap_entry){stream->readers[i].record.ts, i});
	}
	return STATUS_OK;
}

/* Without a clock name: the kernel's default, local. */
bool sched_clock_counts_ns(const char *clock)
{
	static const char *const clocks[] = {"", "local", "global", "perf", "mono", "mono_raw", "boot", "tai"};

	for (size_t i = 0; i < sizeof(clocks) / sizeof(*clocks); i++) {
		if (strcmp(clock, clocks[i]) == 0)
			return true;
	}
	return false;
}

bool sched_clock_is_common(const char *clock)
{
	static const char *const common[] = {"global", "mono", "mono_raw", "boot", "tai"};

	for (size_t i = 0; clock && i < sizeof(common) / sizeof(*common); i++)
		if (strcmp(clock, common[i]) == 0)
			return true;
	return false;
}

static enum status prepare(struct sched_stream *stream, bool needs_switch, struct error *err)
{
	const struct tracedat *trace = stream->trace;

	if (!sched_clock_counts_ns(trace->clock)) {
		error_set(err, STATUS_UNSUPPORTED, NULL, "its trace clock, %s, does not count nanoseconds",
			  trace->clock);
		error_remedy(err, "record with the clock mono");
		return STATUS_UNSUPPORTED;
	}
	enum status status = sched_decoder_make(&trace->events, needs_switch, &stream->decoder, err);
	if (status != STATUS_OK)
		return status;
	const struct event_format *format = event_format_find(&trace->events, "sched", "sched_switch");
	return format ? state_names_parse(format, &stream->states, err) : STATUS_OK;
}

/* Adds the trace's name to an error in its contents. */
static void refine(const char *name, struct error *err)
{
	char part[sizeof(err->where)];

	if (!err)
		return;
	memcpy(part, err->where, sizeof(part));
	snprintf(err->where, sizeof(err->where), "%.300s%s%.150s", name, part[0] ? ": " : "", part);
}

static enum status open_stream(const struct tracedat *trace, const char *name, const struct page_source *source,
			       bool needs_switch, struct sched_stream **stream, struct error *err)
{
	struct sched_stream *made = xcalloc(1, sizeof(*made));

	*stream = NULL;
	made->trace = trace;
	made->name = xstrdup(name);
	made->readers = xcalloc(trace->cpu_count + 1, sizeof(*made->readers));
	made->heap = xcalloc(trace->cpu_count + 1, sizeof(*made->heap));
	enum status status = prepare(made, needs_switch, err);
	if (status != STATUS_OK) {
		refine(name, err);
		sched_stream_close(made);
		return status;
	}
	for (size_t i = 0; i < trace->cpu_count; i++) {
		cpu_reader_start(&made->readers[i], trace, &trace->cpus[i], made->name);
		made->readers[i].source = source;
	}
	*stream = made;
	return STATUS_OK;
}

static enum status open_file(const struct tracedat *trace, const char *name, bool needs_switch,
			     struct sched_stream **stream, struct error *err)
{
	enum status status = open_stream(trace, name, NULL, needs_switch, stream, err);

	/* Corrupt pages are reported in time order, so that earlier events can be used. */
	if (status == STATUS_OK)
		sched_stream_go_on(*stream, UINT64_MAX);
	return status;
}

enum status sched_stream_open(const struct tracedat *trace, const char *name, struct sched_stream **stream,
			      struct error *err)
{
	return open_file(trace, name, true, stream, err);
}

enum status sched_stream_open_any(const struct tracedat *trace, const char *name, struct sched_stream **stream,
				  struct error *err)
{
	return open_file(trace, name, false, stream, err);
}

enum status sched_stream_open_live(const struct tracedat *trace, const char *name, const struct page_source *source,
				   struct sched_stream **stream, struct error *err)
{
	return open_stream(trace, name, source, false, stream, err);
}

void sched_stream_close(struct sched_stream *stream)
{
	if (!stream)
		return;
	free(stream->readers);
	free(stream->heap);
	free(stream->name);
	free(stream);
}

static enum status fail(struct sched_stream *stream, struct error *err)
{
	if (err)
		*err = stream->failure;
	return stream->failed;
}

/* Events missing after the last one. If unknown: the kernel's counter minus the losses reported by pages. */
static uint64_t dropped_last(const struct cpu_reader *reader)
{
	const struct tracedat_cpu *cpu = reader->cpu;

	if (cpu->dropped_last != UINT64_MAX)
		return cpu->dropped_last;
	return cpu->dropped_events > reader->missed_events ? cpu->dropped_events - reader->missed_events : 0;
}

static bool ends_early(const struct cpu_reader *reader)
{
	return !reader->source && (reader->cpu->truncated || dropped_last(reader) > 0);
}

/* Advances the first CPU to its next record and restores the heap order. */
static enum status advance_top(struct sched_stream *stream)
{
	struct heap_entry top = stream->heap[0];
	struct cpu_reader *reader = &stream->readers[top.index];
	uint64_t last_ts = reader->record.ts;
	enum status status = cpu_reader_next(reader, &stream->failure);

	stream->used = NULL;
	stream->loss_given = false;
	if (stream->tells_gaps && (reader->missed || (status == STATUS_END && ends_early(reader)))) {
		stream->has_gap = true;
		stream->gap_ns = last_ts;
		stream->gap_cpu = reader->cpu->cpu;
	}
	if (status == STATUS_END)
		top = stream->heap[--stream->heap_count];
	else if (status == STATUS_OK)
		top.ts = reader->record.ts;
	else
		return status;
	if (stream->heap_count)
		sift_down(stream, 0, top);
	find_run(stream);
	return STATUS_OK;
}

void sched_stream_tell_gaps(struct sched_stream *stream)
{
	stream->tells_gaps = true;
}

bool sched_stream_starts_late(const struct sched_stream *stream, size_t index)
{
	const struct cpu_reader *reader = &stream->readers[index];

	return reader->missed || reader->cpu->overrun > 0 || reader->cpu->overwritten > 0 ||
	       (!reader->has_record && ends_early(reader));
}

void sched_stream_go_on(struct sched_stream *stream, uint64_t until_ns)
{
	/* Makes the first CPU of the heap the one whose record is returned next. */
	if (stream->failed == STATUS_OK && stream->used)
		stream->failed = advance_top(stream);
	stream->from_ns = stream->until_ns;
	stream->until_ns = until_ns;
	if (stream->failed == STATUS_OK)
		stream->failed = fill_heap(stream, &stream->failure);
	find_run(stream);
}

static enum status fail_at(struct sched_stream *stream, const struct cpu_reader *reader, struct error *err)
{
	cpu_reader_place(reader, stream->failed, &stream->failure);
	return fail(stream, err);
}

static inline enum status decode(struct sched_stream *stream, const struct cpu_reader *reader,
				 struct sched_event *event, struct error *err)
{
	event->ts_ns = reader->record.ts > stream->from_ns ? reader->record.ts : stream->from_ns;
	event->cpu = reader->cpu->cpu;
	if (sched_decode_plain(&stream->decoder, &reader->record, event))
		return STATUS_OK;
	stream->failed = sched_decode(&stream->decoder, &reader->record, event, &stream->failure);
	if (stream->failed == STATUS_OK)
		return STATUS_OK;
	stream->used = NULL;
	return fail_at(stream, reader, err);
}

/* Restores the heap order after the first CPU has advanced to another record. */
static void order_top(struct sched_stream *stream)
{
	struct heap_entry top = {stream->used->record.ts, stream->heap[0].index};

	stream->used = NULL;
	sift_down(stream, 0, top);
	find_run(stream);
}

static void give_gap(struct sched_stream *stream, struct sched_event *event)
{
	stream->has_gap = false;
	event->ts_ns = stream->gap_ns > stream->from_ns ? stream->gap_ns : stream->from_ns;
	event->cpu = stream->gap_cpu;
	event->kind = SCHED_GAP;
	event->common_pid = -1;
	event->context = SCHED_CONTEXT_UNKNOWN;
}

static void give_loss(struct sched_stream *stream, const struct cpu_reader *reader, struct sched_event *event)
{
	stream->loss_given = true;
	event->ts_ns = reader->record.ts > stream->from_ns ? reader->record.ts : stream->from_ns;
	event->cpu = reader->cpu->cpu;
	event->kind = SCHED_LOST;
	event->common_pid = -1;
	event->context = SCHED_CONTEXT_UNKNOWN;
	event->lost.count = reader->missed_known ? reader->missed_count : 0;
	event->lost.count_known = reader->missed_known;
}

/* Finds the CPU of the next event in all cases and sets used. used is NULL if a gap or a loss is next: *event is then
 * set. Not inlined, so that the usual case saves no registers for it. */
__attribute__((noinline)) static enum status find_next(struct sched_stream *stream, struct sched_event *event,
						       struct error *err)
{
	if (stream->failed == STATUS_OK && stream->used)
		stream->failed = advance_top(stream);
	if (stream->failed != STATUS_OK)
		return fail(stream, err);
	if (stream->has_gap) {
		give_gap(stream, event);
		return STATUS_OK;
	}
	if (stream->heap_count == 0 || stream->heap[0].ts > stream->until_ns)
		return STATUS_END;
	struct cpu_reader *reader = &stream->readers[stream->heap[0].index];
	if (reader->missed && !stream->loss_given)
		give_loss(stream, reader, event);
	else
		stream->used = reader;
	return STATUS_OK;
}

/* Fast path: usually the next event is on the same CPU and the same page. */
enum status sched_stream_next(struct sched_stream *stream, struct sched_event *event, struct error *err)
{
	bool is_next = stream->used && cpu_reader_take(stream->used);

	if (is_next && stream->used->record.ts >= stream->run_ns) {
		order_top(stream);
		is_next = false;
	}
	if (!is_next) {
		enum status status = find_next(stream, event, err);
		if (status != STATUS_OK || !stream->used)
			return status;
	}
	return decode(stream, stream->used, event, err);
}

const struct ring_record *sched_stream_record(const struct sched_stream *stream)
{
	/* The CPU of the returned event stays first until the next call. */
	return &stream->readers[stream->heap[0].index].record;
}

const struct tracedat *sched_stream_trace(const struct sched_stream *stream)
{
	return stream->trace;
}

void sched_state_text(const struct sched_stream *stream, uint64_t prev_state, char *text, size_t size)
{
	if (stream->states.count)
		state_names_text(&stream->states, prev_state, text, size);
	else
		snprintf(text, size, "?");
}

/* Page flags show overwritten events and, in picknext's traces, dropped events that are followed by another page. The
 * counters include all. */
static struct loss loss_of(const struct cpu_reader *reader)
{
	const struct tracedat_cpu *cpu = reader->cpu;
	struct loss loss = {.cpu = cpu->cpu,
			    .places = reader->missed_ranges,
			    .after_ns = reader->missed_after_ns,
			    .before_ns = reader->missed_before_ns};
	uint64_t counted = cpu->overrun + cpu->commit_overrun + cpu->dropped_events;

	loss.events = reader->missed_events > counted ? reader->missed_events : counted;
	if (cpu->truncated)
		loss.places++;
	return loss;
}

void sched_stream_losses(const struct sched_stream *stream, struct losses *losses)
{
	for (size_t i = 0; i < stream->trace->cpu_count; i++) {
		const struct loss loss = loss_of(&stream->readers[i]);
		if (loss.events || loss.places)
			losses_add(losses, &loss);
	}
}

uint64_t sched_stream_dropped_last(const struct sched_stream *stream)
{
	uint64_t events = 0;

	for (size_t i = 0; i < stream->trace->cpu_count; i++)
		if (!stream->readers[i].has_record)
			events += dropped_last(&stream->readers[i]);
	return events;
}

uint64_t sched_stream_backwards(const struct sched_stream *stream, uint64_t *max_ns)
{
	uint64_t events = 0;

	*max_ns = 0;
	for (size_t i = 0; i < stream->trace->cpu_count; i++) {
		events += stream->readers[i].backwards_events;
		if (*max_ns < stream->readers[i].backwards_max_ns)
			*max_ns = stream->readers[i].backwards_max_ns;
	}
	return events;
}
