/* SPDX-License-Identifier: MIT
 *
 * trace.dat version 7, uncompressed: sections anywhere in the file, found through options.
 * Source: trace-cmd.dat.v7(5). */
#include "trace/format/tracedat_buffers.h"

/* A longer chain of option sections is assumed to be circular. */
#define OPTION_SECTIONS_MAX 64

struct v7_parser {
	const struct tracedat_parser *common;
	struct text_span compression;
	uint32_t seen; /* one bit per kind of section already read */
	bool has_text;
	struct text_span stats_buffer;
};

typedef enum status option_parser(struct v7_parser *parser, uint16_t option, struct byte_reader *content);

/* A reader of the section at offset, without its header. */
static enum status open_section(struct v7_parser *parser, uint64_t offset, uint16_t expected,
				struct byte_reader *section)
{
	const struct tracedat_parser *common = parser->common;

	if (offset >= common->length)
		return error_set(common->err, STATUS_CORRUPT, common->name,
				 "section %u at byte %llu is after the end of the file", expected,
				 (unsigned long long)offset);
	struct byte_reader reader = {.bytes = common->bytes + offset, .length = common->length - (size_t)offset};
	uint16_t id = read_u16(&reader);
	uint16_t flags = read_u16(&reader);
	read_u32(&reader); /* a description */
	uint64_t size = read_u64(&reader);
	if (reader.failed)
		return tracedat_ends_within(common, "sections");
	if (id != expected)
		return error_set(common->err, STATUS_CORRUPT, common->name, "section %u at byte %llu instead of %u", id,
				 (unsigned long long)offset, expected);
	if (flags & TRACEDAT_SECTION_COMPRESSED) {
		int length = parser->compression.length > 32 ? 32 : (int)parser->compression.length;
		error_set(common->err, STATUS_UNSUPPORTED, common->name, "compressed with %.*s", length,
			  parser->compression.text);
		error_remedy(common->err, "unpack it: trace-cmd convert --file-version 6 -i FILE -o NEW");
		return STATUS_UNSUPPORTED;
	}
	if (expected == TRACEDAT_OPTION_BUFFER) {
		*section = reader;
		return STATUS_OK;
	}
	*section = read_part(&reader, size);
	return reader.failed ? tracedat_ends_within(common, "sections") : STATUS_OK;
}

/* Calls parse for every option in the chain of sections at offset. */
static enum status walk_options(struct v7_parser *parser, uint64_t offset, option_parser *parse)
{
	for (unsigned int sections = 0; offset; sections++) {
		struct byte_reader section;
		enum status status = open_section(parser, offset, TRACEDAT_OPTION_DONE, &section);
		if (status != STATUS_OK)
			return status;
		if (sections == OPTION_SECTIONS_MAX)
			return error_set(parser->common->err, STATUS_CORRUPT, parser->common->name,
					 "its chain of option sections is circular");
		for (;;) {
			uint16_t option = read_u16(&section);
			struct byte_reader content = read_part(&section, read_u32(&section));
			if (section.failed)
				return tracedat_ends_within(parser->common, "options");
			if (option == TRACEDAT_OPTION_DONE) {
				offset = read_u64(&content);
				break;
			}
			status = parse(parser, option, &content);
			if (status != STATUS_OK)
				return status;
		}
	}
	return STATUS_OK;
}

/* Parses the section whose offset the option holds; it has the option's number. */
static enum status parse_linked(struct v7_parser *parser, uint16_t option, struct byte_reader *content)
{
	struct byte_reader section;

	if (parser->seen & 1u << option)
		return error_set(parser->common->err, STATUS_CORRUPT, parser->common->name, "section %u occurs twice",
				 option);
	parser->seen |= 1u << option;
	enum status status = open_section(parser, read_u64(content), option, &section);
	if (status != STATUS_OK)
		return status;
	switch (option) {
	case TRACEDAT_OPTION_HEADER_INFO:
		return tracedat_read_headers(parser->common, &section);
	case TRACEDAT_OPTION_FTRACE_EVENTS:
		return tracedat_read_ftrace_formats(parser->common, &section);
	case TRACEDAT_OPTION_EVENT_FORMATS:
		return tracedat_read_event_formats(parser->common, &section);
	case TRACEDAT_OPTION_KALLSYMS:
		return tracedat_read_kallsyms(parser->common, &section);
	default:
		return tracedat_read_cmdlines(parser->common, &section);
	}
}

/* One CPU of the list. trace-cmd leaves out CPUs without pages and keeps the order of the rest. The number is checked
 * because callers use it as an index. */
static enum status read_cpu(const struct tracedat_parser *common, size_t index, struct byte_reader *content)
{
	struct tracedat_cpu *cpu = &tracedat_buffer_last(common)->cpus[index];

	cpu->cpu = read_u32(content);
	uint64_t pages_offset = read_u64(content);
	uint64_t pages_size = read_u64(content);
	if (content->failed)
		return tracedat_ends_within(common, "list of CPUs");
	if (cpu->cpu >= TRACEDAT_CPUS_MAX || (index && cpu->cpu <= cpu[-1].cpu))
		return error_set(common->err, STATUS_CORRUPT, common->name, "lists CPU %u out of order or out of range",
				 cpu->cpu);
	return tracedat_place_pages(common, index, pages_offset, pages_size);
}

/* trace-cmd record -B writes a top-level buffer without CPUs. */
static enum status read_buffer(struct v7_parser *parser, struct byte_reader *content)
{
	const struct tracedat_parser *common = parser->common;
	struct byte_reader section;
	uint64_t offset = read_u64(content);
	struct text_span name = read_string(content);
	struct text_span clock = read_string(content);
	uint32_t page_size = read_u32(content);
	uint32_t cpu_count = read_u32(content);

	if (content->failed)
		return tracedat_ends_within(common, "list of CPUs");
	if (cpu_count == 0)
		return STATUS_OK;
	enum status status = open_section(parser, offset, TRACEDAT_OPTION_BUFFER, &section);
	if (status == STATUS_OK)
		status = tracedat_buffer_begin(common, name, page_size);
	if (status == STATUS_OK)
		status = tracedat_add_cpus(common, cpu_count);
	if (status == STATUS_OK)
		tracedat_set_clock(tracedat_buffer_last(common)->clock, clock);
	for (size_t i = 0; status == STATUS_OK && i < cpu_count; i++)
		status = read_cpu(common, i, content);
	return status;
}

static enum status choose_buffer(const struct v7_parser *parser)
{
	const struct tracedat_parser *common = parser->common;

	if (common->buffers->count)
		return tracedat_buffer_choose(common);
	return error_set(common->err, STATUS_UNSUPPORTED, common->name,
			 parser->has_text ? "holds a latency tracer's text" : "holds no buffer with events");
}

static enum status parse_option(struct v7_parser *parser, uint16_t option, struct byte_reader *content)
{
	switch (option) {
	case TRACEDAT_OPTION_HEADER_INFO:
	case TRACEDAT_OPTION_FTRACE_EVENTS:
	case TRACEDAT_OPTION_EVENT_FORMATS:
	case TRACEDAT_OPTION_KALLSYMS:
	case TRACEDAT_OPTION_CMDLINES:
		return parse_linked(parser, option, content);
	case TRACEDAT_OPTION_BUFFER:
		return read_buffer(parser, content);
	case TRACEDAT_OPTION_BUFFER_TEXT:
		parser->has_text = true;
		return STATUS_OK;
	case TRACEDAT_OPTION_TRACECLOCK:
		tracedat_set_clock(parser->common->trace->clock, read_span(content, content->length));
		return STATUS_OK;
	default:
		tracedat_take_option(parser->common->trace, option, read_span(content, content->length));
		return STATUS_OK;
	}
}

/* Statistics precede their buffer, so they are read after the CPUs are known. */
static enum status parse_stats(struct v7_parser *parser, uint16_t option, struct byte_reader *content)
{
	if (option == TRACEDAT_OPTION_CPUSTAT)
		tracedat_set_cpu_stats(parser->common->trace, &parser->stats_buffer,
				       read_span(content, content->length));
	return STATUS_OK;
}

enum status tracedat_parse_v7(const struct tracedat_parser *common, struct byte_reader *reader)
{
	struct v7_parser parser = {.common = common};

	parser.compression = read_string(reader);
	read_string(reader); /* the compressor's version */
	uint64_t options = read_u64(reader);
	if (reader->failed)
		return tracedat_ends_within(common, "header");
	enum status status = walk_options(&parser, options, parse_option);
	if (status != STATUS_OK)
		return status;
	if (!(parser.seen & 1u << TRACEDAT_OPTION_HEADER_INFO))
		return error_set(common->err, STATUS_CORRUPT, common->name, "no header_page");
	status = choose_buffer(&parser);
	if (status != STATUS_OK)
		return status;
	return walk_options(&parser, options, parse_stats);
}
