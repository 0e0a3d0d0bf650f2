/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "trace/format/tracedat_buffers.h"

void tracedat_free(struct tracedat *trace)
{
	event_format_table_free(&trace->events);
	free(trace->cpus);
	free(trace->instances);
	*trace = (struct tracedat){.cmdlines = ""};
}

static uint64_t page_time(const struct tracedat *trace, const uint8_t *page)
{
	uint64_t ts;

	memcpy(&ts, page + trace->layout.timestamp_offset, sizeof(ts));
	return ts + trace->ts_offset;
}

/* The number of the last page that begins at or before ts_ns, or 0. */
static uint64_t find_page(const struct tracedat *trace, const struct tracedat_cpu *cpu, uint64_t ts_ns)
{
	uint64_t low = 0, high = cpu->size / trace->page_size;

	while (low + 1 < high) {
		const uint64_t middle = low + (high - low) / 2;
		if (page_time(trace, cpu->pages + middle * trace->page_size) <= ts_ns)
			low = middle;
		else
			high = middle;
	}
	return low;
}

void tracedat_skip_before(struct tracedat *trace, uint64_t ts_ns)
{
	if (trace->page_size == 0 || trace->page_size < trace->layout.timestamp_offset + sizeof(uint64_t))
		return;
	for (size_t i = 0; i < trace->cpu_count; i++) {
		struct tracedat_cpu *cpu = &trace->cpus[i];
		const uint64_t skipped = find_page(trace, cpu, ts_ns) * trace->page_size;
		cpu->pages += skipped;
		cpu->size -= skipped;
	}
}

/* Reports that the file is not a trace.dat, with its probable kind. */
static enum status not_a_trace(const struct tracedat_parser *parser)
{
	struct byte_reader reader = {.bytes = parser->bytes, .length = parser->length};

	if (parser->length == 0)
		return error_set(parser->err, STATUS_CORRUPT, parser->name, "is empty");
	if (parser->length < TRACEDAT_MAGIC_SIZE && memcmp(parser->bytes, TRACEDAT_MAGIC, parser->length) == 0)
		return tracedat_ends_within(parser, "header");
	if (read_match(&reader, "PERFILE2", 8)) {
		error_set(parser->err, STATUS_UNSUPPORTED, parser->name, "is perf's data, not a trace.dat file");
		error_remedy(parser->err, "record with picknext collect or trace-cmd record");
		return STATUS_UNSUPPORTED;
	}
	if (read_match(&reader, "# tracer:", 9))
		return error_set(parser->err, STATUS_UNSUPPORTED, parser->name,
				 "is a trace in text form, not a trace.dat file");
	return error_set(parser->err, STATUS_UNSUPPORTED, parser->name, "is not a trace.dat file");
}

/* Magic, version, byte order, sizes. */
static enum status read_start(const struct tracedat_parser *parser, struct byte_reader *reader)
{
	if (!read_match(reader, TRACEDAT_MAGIC, TRACEDAT_MAGIC_SIZE))
		return not_a_trace(parser);
	struct text_span version = read_string(reader);
	uint8_t byte_order = read_u8(reader);
	uint8_t long_size = read_u8(reader);
	uint32_t page_size = read_u32(reader);
	if (reader->failed)
		return tracedat_ends_within(parser, "header");
	if (!text_span_is(version, "6") && !text_span_is(version, "7"))
		return error_set(parser->err, STATUS_UNSUPPORTED, parser->name,
				 "is trace.dat version %.*s; supported versions are 6 and 7",
				 version.length > 16 ? 16 : (int)version.length, version.text);
	parser->trace->version = *version.text == '6' ? 6 : 7;
	if (byte_order == TRACEDAT_BIG_ENDIAN) {
		error_set(parser->err, STATUS_UNSUPPORTED, parser->name, "comes from a big-endian machine");
		error_remedy(parser->err, "trace-cmd report -R -i FILE >NEW.txt, which is read");
		return STATUS_UNSUPPORTED;
	}
	if (byte_order != TRACEDAT_LITTLE_ENDIAN || (long_size != 4 && long_size != 8))
		return error_set(parser->err, STATUS_CORRUPT, parser->name, "byte order is %u, size of a long %u",
				 byte_order, long_size);
	parser->trace->page_size = page_size;
	return STATUS_OK;
}

static enum status parse_trace(const struct tracedat_parser *parser)
{
	struct byte_reader reader = {.bytes = parser->bytes, .length = parser->length};
	struct tracedat *trace = parser->trace;
	enum status status = read_start(parser, &reader);

	if (status != STATUS_OK)
		return status;
	status = trace->version == 6 ? tracedat_parse_v6(parser, &reader) : tracedat_parse_v7(parser, &reader);
	if (status == STATUS_OK)
		tracedat_count_overwritten(trace);
	return status;
}

enum status tracedat_parse_instance(const uint8_t *bytes, size_t length, const char *name, const char *instance,
				    struct tracedat *trace, struct error *err)
{
	struct tracedat_buffers buffers = {0};
	struct tracedat_parser parser = {trace, &buffers, instance, bytes, length, name, err};

	*trace = (struct tracedat){.cmdlines = ""};
	enum status status = parse_trace(&parser);
	tracedat_buffers_free(&buffers);
	if (status != STATUS_OK)
		tracedat_free(trace);
	return status;
}

enum status tracedat_parse(const uint8_t *bytes, size_t length, const char *name, struct tracedat *trace,
			   struct error *err)
{
	return tracedat_parse_instance(bytes, length, name, NULL, trace, err);
}
