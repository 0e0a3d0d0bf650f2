/* SPDX-License-Identifier: MIT
 *
 * trace.dat version 6: all parts in sequence. Source: trace-cmd.dat.v6(5). */
#include "trace/format/tracedat_buffers.h"

struct v6_parser {
	const struct tracedat_parser *common;
	uint32_t cpu_count;      /* of each buffer */
	bool has_clock;          /* the clock's text may follow the CPUs of a buffer */
	uint32_t unread_buffers; /* instances whose place is not known */
	struct text_span stats_buffer;
};

typedef enum status option_parser(struct v6_parser *parser, uint16_t option, struct byte_reader *content);

static enum status walk_options(struct v6_parser *parser, struct byte_reader *reader, option_parser *parse)
{
	for (;;) {
		uint16_t option = read_u16(reader);
		if (reader->failed)
			return tracedat_ends_within(parser->common, "options");
		if (option == TRACEDAT_OPTION_DONE)
			return STATUS_OK;
		struct byte_reader content = read_part(reader, read_u32(reader));
		if (reader->failed)
			return tracedat_ends_within(parser->common, "options");
		enum status status = parse(parser, option, &content);
		if (status != STATUS_OK)
			return status;
	}
}

/* The CPUs of a buffer, and its clock: trace-cmd up to 2.9 leaves the option empty and stores the text here. */
static enum status read_cpus(struct v6_parser *parser, struct text_span name, struct byte_reader *reader)
{
	const struct tracedat_parser *common = parser->common;
	enum status status = tracedat_buffer_begin(common, name, common->trace->page_size);

	if (status == STATUS_OK)
		status = tracedat_add_cpus(common, parser->cpu_count);
	for (size_t i = 0; i < parser->cpu_count && status == STATUS_OK; i++) {
		uint64_t offset = read_u64(reader);
		uint64_t size = read_u64(reader);
		if (reader->failed)
			return tracedat_ends_within(common, "list of CPUs");
		status = tracedat_place_pages(common, i, offset, size);
	}
	if (status == STATUS_OK && parser->has_clock && (name.length || !common->trace->clock[0]))
		tracedat_set_clock(tracedat_buffer_last(common)->clock, read_span(reader, read_u64(reader)));
	return status;
}

/* An instance: the place of its CPUs, then its name. */
static enum status take_instance(struct v6_parser *parser, uint16_t option, struct byte_reader *content)
{
	const struct tracedat_parser *common = parser->common;

	if (option != TRACEDAT_OPTION_BUFFER)
		return STATUS_OK;
	uint64_t offset = read_u64(content);
	struct text_span name = read_string(content);
	struct byte_reader reader = {.bytes = common->bytes, .length = common->length};
	read_span(&reader, offset);
	if (content->failed || !name.length || !read_match(&reader, TRACEDAT_FLYRECORD, TRACEDAT_PART_SIZE) ||
	    common->length - reader.at < parser->cpu_count * UINT64_C(16)) {
		parser->unread_buffers++;
		return STATUS_OK;
	}
	return read_cpus(parser, name, &reader);
}

static enum status take_option(struct v6_parser *parser, uint16_t option, struct byte_reader *content)
{
	struct tracedat *trace = parser->common->trace;
	struct text_span text = read_span(content, content->length);

	if (option == TRACEDAT_OPTION_TRACECLOCK) {
		parser->has_clock = true;
		tracedat_set_clock(trace->clock, text);
	} else {
		tracedat_take_option(trace, option, text);
	}
	return STATUS_OK;
}

/* The statistics precede the CPUs that they are of. */
static enum status take_stats(struct v6_parser *parser, uint16_t option, struct byte_reader *content)
{
	if (option == TRACEDAT_OPTION_CPUSTAT)
		tracedat_set_cpu_stats(parser->common->trace, &parser->stats_buffer,
				       read_span(content, content->length));
	return STATUS_OK;
}

/* reader: after "flyrecord"; options: at the first option, or at its end. */
static enum status read_buffers(struct v6_parser *parser, struct byte_reader *reader, struct byte_reader options)
{
	const struct tracedat_parser *common = parser->common;
	struct tracedat *trace = common->trace;
	struct byte_reader again = options;
	enum status status = read_cpus(parser, (struct text_span){"", 0}, reader);

	if (status == STATUS_OK && options.length)
		status = walk_options(parser, &again, take_instance);
	if (status == STATUS_OK)
		status = tracedat_buffer_choose(common);
	if (status != STATUS_OK)
		return status;
	trace->skipped_buffers += parser->unread_buffers;
	uint64_t pages_size = 0;
	for (size_t i = 0; i < trace->cpu_count; i++)
		pages_size |= trace->cpus[i].size;
	if (pages_size == 0 && !trace->truncated && parser->unread_buffers) {
		error_set(common->err, STATUS_UNSUPPORTED, common->name,
			  "holds no events in its top-level buffer, only in %u other instances",
			  parser->unread_buffers);
		error_remedy(common->err, "trace-cmd convert --file-version 7 --compression none -i FILE -o NEW");
		return STATUS_UNSUPPORTED;
	}
	return options.length ? walk_options(parser, &options, take_stats) : STATUS_OK;
}

enum status tracedat_parse_v6(const struct tracedat_parser *parser, struct byte_reader *reader)
{
	struct v6_parser own = {.common = parser};
	struct byte_reader options = {0};
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
	own.cpu_count = read_u32(reader);
	if (reader->failed)
		return tracedat_ends_within(parser, "list of CPUs");
	if (read_match(reader, TRACEDAT_OPTIONS, TRACEDAT_PART_SIZE)) {
		options = *reader;
		status = walk_options(&own, reader, take_option);
	}
	if (status != STATUS_OK)
		return status;
	if (read_match(reader, TRACEDAT_FLYRECORD, TRACEDAT_PART_SIZE))
		return read_buffers(&own, reader, options);
	if (read_match(reader, TRACEDAT_LATENCY, TRACEDAT_PART_SIZE))
		return error_set(parser->err, STATUS_UNSUPPORTED, parser->name, "holds a latency tracer's text");
	if (reader->length - reader->at < TRACEDAT_PART_SIZE)
		return tracedat_ends_within(parser, "list of CPUs");
	return error_set(parser->err, STATUS_CORRUPT, parser->name, "neither options nor pages at byte %zu",
			 reader->at);
}
