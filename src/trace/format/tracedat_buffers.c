/* SPDX-License-Identifier: MIT */
#include "trace/format/tracedat_buffers.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

/* A file with more is not taken for one of trace-cmd's: each may claim many CPUs in a few bytes. */
#define BUFFERS_MAX 64

enum status tracedat_buffer_begin(const struct tracedat_parser *parser, struct text_span name, uint32_t page_size)
{
	struct tracedat_buffers *buffers = parser->buffers;

	if (buffers->count == BUFFERS_MAX)
		return error_set(parser->err, STATUS_CORRUPT, parser->name, "has more than %d buffers", BUFFERS_MAX);
	buffers->items = xreallocarray(buffers->items, buffers->count + 1, sizeof(*buffers->items));
	buffers->items[buffers->count++] = (struct tracedat_buffer){.name = name, .page_size = page_size};
	return STATUS_OK;
}

struct tracedat_buffer *tracedat_buffer_last(const struct tracedat_parser *parser)
{
	return &parser->buffers->items[parser->buffers->count - 1];
}

void tracedat_buffers_free(struct tracedat_buffers *buffers)
{
	for (uint32_t i = 0; i < buffers->count; i++)
		free(buffers->items[i].cpus);
	free(buffers->items);
	*buffers = (struct tracedat_buffers){0};
}

enum status tracedat_add_cpus(const struct tracedat_parser *parser, uint64_t count)
{
	struct tracedat_buffer *buffer = tracedat_buffer_last(parser);

	if (count == 0 || count > TRACEDAT_CPUS_MAX)
		return error_set(parser->err, STATUS_CORRUPT, parser->name, "claims %llu CPUs",
				 (unsigned long long)count);
	buffer->cpus = xcalloc((size_t)count, sizeof(*buffer->cpus));
	buffer->cpu_count = (size_t)count;
	for (size_t i = 0; i < buffer->cpu_count; i++)
		buffer->cpus[i] = (struct tracedat_cpu){.cpu = (uint32_t)i, .dropped_last = UINT64_MAX};
	return STATUS_OK;
}

enum status tracedat_place_pages(const struct tracedat_parser *parser, size_t index, uint64_t offset, uint64_t size)
{
	struct tracedat_buffer *buffer = tracedat_buffer_last(parser);
	struct tracedat_cpu *cpu = &buffer->cpus[index];
	uint64_t there = offset < parser->length ? parser->length - offset : 0;

	if (offset > UINT64_MAX - size)
		return error_set(parser->err, STATUS_CORRUPT, parser->name,
				 "pages of CPU %u are at byte %llu, %llu bytes long", cpu->cpu,
				 (unsigned long long)offset, (unsigned long long)size);
	cpu->truncated |= there < size;
	cpu->pages = there ? parser->bytes + offset : parser->bytes;
	cpu->size = there < size ? there : size;
	buffer->truncated |= cpu->truncated;
	return STATUS_OK;
}

static bool has_pages(const struct tracedat_buffer *buffer)
{
	for (size_t i = 0; i < buffer->cpu_count; i++)
		if (buffer->cpus[i].size)
			return true;
	return false;
}

/* --- The events of a CPU, without their meaning --- */

struct page_walk {
	const struct tracedat *trace;
	const struct tracedat_cpu *cpu;
	uint32_t page_size;
	uint64_t next;
	struct ring_page page;
};

/* False at the end, or at damage, which is reported when the events are read. */
static bool next_record(struct page_walk *walk, struct ring_record *record)
{
	while (!ring_page_take(&walk->page, record) && ring_page_next(&walk->page, record, NULL) != STATUS_OK) {
		if (walk->page.at != walk->page.end || walk->next >= walk->cpu->size)
			return false;
		const uint64_t left = walk->cpu->size - walk->next;
		const size_t available = left < walk->page_size ? (size_t)left : walk->page_size;
		if (ring_page_open(&walk->trace->layout, walk->cpu->pages + walk->next, available, walk->page_size,
				   &walk->page, NULL) != STATUS_OK)
			return false;
		walk->next += walk->page_size;
	}
	return true;
}

static struct page_walk begin_walk(const struct tracedat *trace, const struct tracedat_cpu *cpu, uint32_t page_size)
{
	return (struct page_walk){.trace = trace, .cpu = cpu, .page_size = page_size, .page.layout = &trace->layout};
}

/* The number of an event is in its first two bytes (common_type). */
static bool has_event(const struct tracedat *trace, const struct tracedat_buffer *buffer, uint32_t id)
{
	for (size_t i = 0; i < buffer->cpu_count; i++) {
		struct page_walk walk = begin_walk(trace, &buffer->cpus[i], buffer->page_size);
		struct ring_record record;
		uint16_t type;
		while (next_record(&walk, &record)) {
			if (record.length < sizeof(type))
				continue;
			memcpy(&type, record.data, sizeof(type));
			if (type == id)
				return true;
		}
	}
	return false;
}

bool tracedat_has_event(const struct tracedat *trace, uint32_t id)
{
	const struct tracedat_buffer buffer = {
	    .cpus = trace->cpus, .cpu_count = trace->cpu_count, .page_size = trace->page_size};

	return has_event(trace, &buffer, id);
}

/* The time of the first page, or UINT64_MAX. */
static uint64_t first_time(const struct tracedat *trace, const struct tracedat_cpu *cpu)
{
	uint64_t ts = UINT64_MAX;

	if (cpu->size >= trace->layout.timestamp_offset + sizeof(ts))
		memcpy(&ts, cpu->pages + trace->layout.timestamp_offset, sizeof(ts));
	return ts;
}

/* If the events end long before the statistics were read, the rest is missing at their end. */
#define END_GAPS_MAX 8

static void count_overwritten(const struct tracedat *trace, uint64_t start_ns, struct tracedat_cpu *cpu)
{
	const uint64_t recorded = cpu->entries + cpu->read_events;
	const uint64_t late_ns = cpu->size ? first_time(trace, cpu) - start_ns : 0;
	struct page_walk walk = begin_walk(trace, cpu, trace->page_size);
	struct ring_record record;
	uint64_t kept = 0;

	while (kept < recorded && next_record(&walk, &record))
		kept++;
	if (walk.next < cpu->size || kept == recorded)
		return;
	if (cpu->now_ns > walk.page.ts && (cpu->now_ns - walk.page.ts) / END_GAPS_MAX > late_ns)
		return;
	cpu->overwritten = recorded - kept;
}

/* A ring of pages keeps the last ones: what the kernel's counters have more than the file came before its first page.
 * picknext's own statistics say so themselves. */
void tracedat_count_overwritten(struct tracedat *trace)
{
	uint64_t start_ns = UINT64_MAX;

	for (size_t i = 0; i < trace->cpu_count; i++)
		if (first_time(trace, &trace->cpus[i]) < start_ns)
			start_ns = first_time(trace, &trace->cpus[i]);
	for (size_t i = 0; i < trace->cpu_count; i++) {
		struct tracedat_cpu *cpu = &trace->cpus[i];
		if (cpu->has_stats && !cpu->overwritten && cpu->dropped_last == UINT64_MAX && !cpu->truncated)
			count_overwritten(trace, start_ns, cpu);
	}
}

/* --- The choice of a buffer --- */

static void add_names(const struct tracedat_parser *parser, const bool *chosen, char *text, size_t size)
{
	const struct tracedat_buffers *buffers = parser->buffers;
	size_t length = 0;

	for (uint32_t i = 0; i < buffers->count && length < size; i++) {
		const struct text_span name = buffers->items[i].name;
		if ((chosen && !chosen[i]) || name.length == 0 || buffers->items[i].cpu_count == 0)
			continue;
		length += (size_t)snprintf(text + length, size - length, "%s%.*s", length ? ", " : "",
					   name.length > 64 ? 64 : (int)name.length, name.text);
	}
}

static enum status find_instance(const struct tracedat_parser *parser, uint32_t *found)
{
	const struct tracedat_buffers *buffers = parser->buffers;
	char names[300] = "none";

	for (*found = 0; *found < buffers->count; ++*found)
		if (text_span_is(buffers->items[*found].name, parser->instance) && buffers->items[*found].cpu_count)
			return STATUS_OK;
	add_names(parser, NULL, names, sizeof(names));
	return error_set(parser->err, STATUS_USAGE, parser->name, "has no instance '%.64s'; it has: %s",
			 parser->instance, names);
}

static enum status refuse_choice(const struct tracedat_parser *parser, const bool *chosen)
{
	char names[300] = "";

	add_names(parser, chosen, names, sizeof(names));
	error_set(parser->err, STATUS_UNSUPPORTED, parser->name, "has switches in several instances: %s", names);
	error_remedy(parser->err, "choose one: --instance NAME");
	return STATUS_UNSUPPORTED;
}

/* Reads pages only if there are several buffers with pages. */
static enum status find_switches(const struct tracedat_parser *parser, uint32_t *found)
{
	const struct tracedat_buffers *buffers = parser->buffers;
	const struct event_format *format = event_format_find(&parser->trace->events, "sched", "sched_switch");
	bool has_switches[BUFFERS_MAX] = {false};
	uint32_t first = UINT32_MAX, count = 0, with_pages = 0;

	*found = 0;
	for (uint32_t i = 0; i < buffers->count; i++) {
		if (!has_pages(&buffers->items[i]))
			continue;
		first = first == UINT32_MAX || buffers->items[i].name.length == 0 ? i : first;
		with_pages++;
	}
	if (first != UINT32_MAX)
		*found = first;
	if (with_pages < 2 || !format)
		return STATUS_OK;
	for (uint32_t i = 0; i < buffers->count; i++) {
		has_switches[i] = has_event(parser->trace, &buffers->items[i], format->id);
		if (!has_switches[i])
			continue;
		*found = i;
		count++;
		if (buffers->items[i].name.length == 0)
			return STATUS_OK;
	}
	return count > 1 ? refuse_choice(parser, has_switches) : STATUS_OK;
}

/* trace-cmd 3.1.6 names the clock local for each instance, whatever it is. */
static bool names_no_clock(const struct tracedat_buffer *buffer)
{
	return !buffer->clock[0] || (buffer->name.length && strcmp(buffer->clock, "local") == 0);
}

static enum status check_page_size(const struct tracedat_parser *parser, uint32_t page_size)
{
	if (page_size <= parser->trace->layout.data_offset || page_size > EVENT_RECORD_MAX ||
	    page_size & (page_size - 1))
		return error_set(parser->err, STATUS_CORRUPT, parser->name, "pages of %u bytes", page_size);
	return STATUS_OK;
}

static void note_names(const struct tracedat_parser *parser)
{
	const struct tracedat_buffers *buffers = parser->buffers;
	struct tracedat *trace = parser->trace;

	trace->instances = xcalloc(buffers->count + 1u, sizeof(*trace->instances));
	for (uint32_t i = 0; i < buffers->count; i++) {
		if (buffers->items[i].cpu_count == 0)
			continue;
		trace->skipped_buffers += buffers->items[i].name.length || has_pages(&buffers->items[i]);
		if (buffers->items[i].name.length)
			trace->instances[trace->instance_count++] = buffers->items[i].name;
	}
}

enum status tracedat_buffer_choose(const struct tracedat_parser *parser)
{
	const struct tracedat_buffers *buffers = parser->buffers;
	struct tracedat *trace = parser->trace;
	enum status status = STATUS_OK;
	uint32_t chosen = 0;

	/* The file's page size takes precedence over that of header_page, which is the top-level buffer's: another
	 * instance may have sub-buffers of another size. */
	for (uint32_t i = 0; i < buffers->count && status == STATUS_OK; i++)
		if (buffers->items[i].cpu_count)
			status = check_page_size(parser, buffers->items[i].page_size);
	if (status == STATUS_OK)
		status = parser->instance ? find_instance(parser, &chosen) : find_switches(parser, &chosen);
	if (status != STATUS_OK)
		return status;
	struct tracedat_buffer *buffer = &buffers->items[chosen];
	note_names(parser);
	trace->skipped_buffers -= trace->skipped_buffers && (buffer->name.length || has_pages(buffer));
	trace->buffer = buffer->name;
	trace->page_size = buffer->page_size;
	trace->truncated = buffer->truncated;
	if (!names_no_clock(buffer) || !trace->clock[0])
		memcpy(trace->clock, buffer->clock, sizeof(trace->clock));
	trace->cpu_count = buffer->cpu_count;
	trace->cpus = buffer->cpus;
	buffer->cpus = NULL;
	return STATUS_OK;
}
