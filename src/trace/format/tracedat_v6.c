/* SPDX-License-Identifier: MIT
 *
 * trace.dat version 6: all parts in sequence. Source: trace-cmd.dat.v6(5). */
#include "trace/format/tracedat_parts.h"

static void take_option(const struct tracedat_parser *parser, uint16_t option, struct byte_reader *content,
			bool *has_clock)
{
	struct text_span text = read_span(content, content->length);

	switch (option) {
	case TRACEDAT_OPTION_CPUSTAT:
		tracedat_set_cpu_stats(parser->trace, text);
		break;
	case TRACEDAT_OPTION_TRACECLOCK:
		*has_clock = true;
		tracedat_set_clock(parser->trace, text);
		break;
	case TRACEDAT_OPTION_BUFFER:
		parser->trace->skipped_buffers++;
		break;
	default:
		tracedat_take_option(parser->trace, option, text);
		break;
	}
}

static enum status read_options(const struct tracedat_parser *parser, struct byte_reader *reader, bool *has_clock)
{
	for (;;) {
		uint16_t option = read_u16(reader);
		if (reader->failed)
			return tracedat_ends_within(parser, "options");
		if (option == TRACEDAT_OPTION_DONE)
			return STATUS_OK;
		struct byte_reader content = read_part(reader, read_u32(reader));
		if (reader->failed)
			return tracedat_ends_within(parser, "options");
		take_option(parser, option, &content, has_clock);
	}
}

static enum status read_flyrecord(const struct tracedat_parser *parser, struct byte_reader *reader, bool has_clock)
{
	uint64_t pages_size = 0;

	for (size_t i = 0; i < parser->trace->cpu_count; i++) {
		uint64_t offset = read_u64(reader);
		uint64_t size = read_u64(reader);
		if (reader->failed)
			return tracedat_ends_within(parser, "list of CPUs");
		enum status status = tracedat_place_pages(parser, i, offset, size);
		if (status != STATUS_OK)
			return status;
		pages_size |= size;
	}
	if (pages_size == 0 && parser->trace->skipped_buffers) {
		error_set(parser->err, STATUS_UNSUPPORTED, parser->name,
			  "holds no events in its top-level buffer, only in %u other instances",
			  parser->trace->skipped_buffers);
		error_remedy(parser->err, "trace-cmd convert --file-version 7 --compression none -i FILE -o NEW");
		return STATUS_UNSUPPORTED;
	}
	/* trace-cmd up to 2.9 leaves the option empty and stores the text here. */
	if (has_clock && !parser->trace->clock[0])
		tracedat_set_clock(parser->trace, read_span(reader, read_u64(reader)));
	return STATUS_OK;
}

enum status tracedat_parse_v6(const struct tracedat_parser *parser, struct byte_reader *reader)
{
	bool has_clock = false;
	enum status status = tracedat_read_headers(parser, reader);

	if (status == STATUS_OK)
		status = tracedat_read_ftrace_formats(parser, reader);
	if (status == STATUS_OK)
		status = tracedat_read_event_formats(parser, reader);
	if (status == STATUS_OK)
		status = tracedat_read_kallsyms(parser, reader);
	if (status != STATUS_OK)
		return status;
	read_span(reader, read_u32(reader)); /* printk formats */
	if (reader->failed)
		return tracedat_ends_within(parser, "printk formats");
	status = tracedat_read_cmdlines(parser, reader);
	if (status != STATUS_OK)
		return status;
	uint32_t cpu_count = read_u32(reader);
	if (reader->failed)
		return tracedat_ends_within(parser, "list of CPUs");
	status = tracedat_add_cpus(parser, cpu_count);
	if (status == STATUS_OK && read_match(reader, TRACEDAT_OPTIONS, TRACEDAT_PART_SIZE))
		status = read_options(parser, reader, &has_clock);
	if (status != STATUS_OK)
		return status;
	if (read_match(reader, TRACEDAT_FLYRECORD, TRACEDAT_PART_SIZE))
		return read_flyrecord(parser, reader, has_clock);
	if (read_match(reader, TRACEDAT_LATENCY, TRACEDAT_PART_SIZE))
		return error_set(parser->err, STATUS_UNSUPPORTED, parser->name, "holds a latency tracer's text");
	if (reader->length - reader->at < TRACEDAT_PART_SIZE)
		return tracedat_ends_within(parser, "list of CPUs");
	return error_set(parser->err, STATUS_CORRUPT, parser->name, "neither options nor pages at byte %zu",
			 reader->at);
}
