/* SPDX-License-Identifier: MIT */
#include "trace/format/tracedat_parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

enum status tracedat_ends_within(const struct tracedat_parser *parser, const char *what)
{
	return error_set(parser->err, STATUS_CORRUPT, parser->name, "ends within its %s", what);
}

/* "header_page" or "header_event" with its NUL, then a sized text. */
static enum status read_named_text(const struct tracedat_parser *parser, struct byte_reader *reader, const char *name,
				   struct text_span *text)
{
	if (!read_match(reader, name, strlen(name) + 1)) {
		if (reader->failed || reader->length - reader->at <= strlen(name))
			return tracedat_ends_within(parser, name);
		return error_set(parser->err, STATUS_CORRUPT, parser->name, "no %s at byte %zu", name,
				 (size_t)(reader->bytes + reader->at - parser->bytes));
	}
	*text = read_span(reader, read_u64(reader));
	return reader->failed ? tracedat_ends_within(parser, name) : STATUS_OK;
}

/* Adds the file's name to the error of a text parser. */
static enum status refine_error(const struct tracedat_parser *parser, enum status status)
{
	if (parser->err) {
		char part[sizeof(parser->err->where)];
		memcpy(part, parser->err->where, sizeof(part));
		snprintf(parser->err->where, sizeof(parser->err->where), "%s: %.300s", parser->name, part);
	}
	return status;
}

enum status tracedat_read_headers(const struct tracedat_parser *parser, struct byte_reader *reader)
{
	struct text_span header_page;
	struct text_span header_event;
	enum status status = read_named_text(parser, reader, TRACEDAT_HEADER_PAGE, &header_page);

	if (status == STATUS_OK)
		status = read_named_text(parser, reader, TRACEDAT_HEADER_EVENT, &header_event);
	if (status != STATUS_OK)
		return status;
	status = ring_page_layout_parse(header_page, header_event, &parser->trace->layout, parser->err);
	return status == STATUS_OK ? status : refine_error(parser, status);
}

/* count formats of one system, each preceded by its size. */
static enum status read_formats(const struct tracedat_parser *parser, struct byte_reader *reader, uint32_t count,
				struct text_span system)
{
	for (uint32_t i = 0; i < count; i++) {
		struct event_format format;
		struct text_span text = read_span(reader, read_u64(reader));
		if (reader->failed)
			return tracedat_ends_within(parser, "event formats");
		enum status status = event_format_parse(text, system, &format, parser->err);
		if (status != STATUS_OK)
			return refine_error(parser, status);
		event_format_table_add(&parser->trace->events, &format);
	}
	return STATUS_OK;
}

enum status tracedat_read_ftrace_formats(const struct tracedat_parser *parser, struct byte_reader *reader)
{
	uint32_t count = read_u32(reader);

	if (reader->failed)
		return tracedat_ends_within(parser, "event formats");
	return read_formats(parser, reader, count, (struct text_span){"ftrace", strlen("ftrace")});
}

enum status tracedat_read_event_formats(const struct tracedat_parser *parser, struct byte_reader *reader)
{
	uint32_t systems = read_u32(reader);

	for (uint32_t i = 0; i < systems && !reader->failed; i++) {
		struct text_span system = read_string(reader);
		uint32_t count = read_u32(reader);
		if (reader->failed)
			break;
		enum status status = read_formats(parser, reader, count, system);
		if (status != STATUS_OK)
			return status;
	}
	return reader->failed ? tracedat_ends_within(parser, "event formats") : STATUS_OK;
}

enum status tracedat_read_cmdlines(const struct tracedat_parser *parser, struct byte_reader *reader)
{
	struct text_span text = read_span(reader, read_u64(reader));

	if (reader->failed)
		return tracedat_ends_within(parser, "command lines");
	parser->trace->cmdlines = text.text;
	parser->trace->cmdlines_size = text.length;
	return STATUS_OK;
}

enum status tracedat_read_kallsyms(const struct tracedat_parser *parser, struct byte_reader *reader)
{
	struct text_span text = read_span(reader, read_u32(reader));

	if (reader->failed)
		return tracedat_ends_within(parser, "kernel symbols");
	parser->trace->kallsyms = text.text;
	parser->trace->kallsyms_size = text.length;
	return STATUS_OK;
}

/* Copies text up to its first NUL or newline, as far as it fits. */
static void copy_line(struct text_span text, char *to, size_t size)
{
	size_t length = 0;

	while (length < text.length && length < size - 1 && text.text[length] && text.text[length] != '\n') {
		to[length] = text.text[length];
		length++;
	}
	to[length] = '\0';
}

void tracedat_set_clock(char clock[TRACEDAT_CLOCK_SIZE], struct text_span text)
{
	/* The trace_clock file lists all clocks; the current one is in brackets. */
	const char *open = text.length ? memchr(text.text, '[', text.length) : NULL;

	if (open) {
		text.length -= (size_t)(open + 1 - text.text);
		text.text = open + 1;
		const char *close = text.length ? memchr(text.text, ']', text.length) : NULL;
		if (close)
			text.length = (size_t)(close - text.text);
	}
	copy_line(text, clock, TRACEDAT_CLOCK_SIZE);
}

/* Parses a number like strtoll() with base 0, as trace-cmd does: "0x5f2a", "-12". */
static uint64_t take_offset(struct text_span text)
{
	char number[32];
	const char *at = number;

	copy_line(text, number, sizeof(number));
	at += strspn(at, " \t");
	bool negative = *at == '-';
	uint64_t value = strtoull(at + (negative || *at == '+'), NULL, 0);
	return negative ? 0 - value : value;
}

void tracedat_take_option(struct tracedat *trace, uint16_t option, struct text_span text)
{
	if (option == TRACEDAT_OPTION_UNAME)
		copy_line(text, trace->uname, sizeof(trace->uname));
	else if (option == TRACEDAT_OPTION_DATE) /* in microseconds */
		trace->ts_offset += take_offset(text) * 1000;
	else if (option == TRACEDAT_OPTION_OFFSET)
		trace->ts_offset += take_offset(text);
	else if (option == TRACEDAT_OPTION_TIME_SHIFT)
		trace->has_time_shift = true;
}

/* "overrun: 12". Only whole numbers are supported, not times. */
static bool stats_value(struct text_span line, const char *key, uint64_t *value)
{
	size_t at = strlen(key);
	uint64_t sum = 0;
	bool has_digits = false;

	if (line.length < at || memcmp(line.text, key, at) != 0)
		return false;
	while (at < line.length && line.text[at] == ' ')
		at++;
	for (; at < line.length && line.text[at] >= '0' && line.text[at] <= '9'; at++) {
		uint64_t digit = (uint64_t)(line.text[at] - '0');
		if (sum > (UINT64_MAX - digit) / 10)
			return false;
		sum = sum * 10 + digit;
		has_digits = true;
	}
	if (has_digits)
		*value = sum;
	return has_digits;
}

/* "now ts:     6.000100" */
static bool take_now(struct text_span line, struct tracedat_cpu *cpu)
{
	uint64_t seconds, fraction = 0;

	if (!stats_value(line, "now ts:", &seconds) || seconds > UINT32_MAX)
		return false;
	const char *point = memchr(line.text, '.', line.length);
	for (unsigned int digit = 1; digit <= 6; digit++) {
		const char *at = point + digit;
		const bool is_there = point && at < line.text + line.length && *at >= '0' && *at <= '9';
		fraction = fraction * 10 + (is_there ? (uint64_t)(*at - '0') : 0);
	}
	cpu->now_ns = seconds * 1000000000 + fraction * 1000;
	return true;
}

/* Finds the CPU; CPUs are in ascending order. */
static struct tracedat_cpu *find_cpu(struct tracedat *trace, uint64_t number)
{
	size_t low = 0;
	size_t high = trace->cpu_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (trace->cpus[middle].cpu < number)
			low = middle + 1;
		else
			high = middle;
	}
	return low < trace->cpu_count && trace->cpus[low].cpu == number ? &trace->cpus[low] : NULL;
}

/* A line of picknext itself, which belongs to no CPU, or of trace-cmd: the buffer of the CPUs that follow. */
static bool take_own_line(struct tracedat *trace, struct text_span *buffer, struct text_span line)
{
	if (text_span_take(&line, "Buffer: ")) {
		*buffer = line;
		return true;
	}
	if (text_span_take(&line, TRACEDAT_OFFLINE)) {
		trace->offline_cpus = line;
		return true;
	}
	if (!text_span_take(&line, TRACEDAT_FOLLOWED))
		return false;
	trace->followed = line;
	trace->followed_only = true;
	return true;
}

/* A file with a single buffer may not name it. */
static bool is_of_buffer(const struct tracedat *trace, struct text_span name)
{
	if (name.length == 0)
		return trace->buffer.length == 0 || trace->skipped_buffers == 0;
	return name.length == trace->buffer.length && memcmp(name.text, trace->buffer.text, name.length) == 0;
}

void tracedat_set_cpu_stats(struct tracedat *trace, struct text_span *buffer, struct text_span text)
{
	struct text_span line;
	struct tracedat_cpu *cpu = NULL;
	uint64_t number;

	while (text_span_line(&text, &line)) {
		if (!cpu) {
			if (take_own_line(trace, buffer, line))
				continue;
			if (!stats_value(line, "CPU:", &number))
				continue;
			cpu = is_of_buffer(trace, *buffer) ? find_cpu(trace, number) : NULL;
			if (!cpu || cpu->has_stats)
				return;
			cpu->has_stats = true;
		}
		if (!stats_value(line, "entries:", &cpu->entries) && !stats_value(line, "overrun:", &cpu->overrun) &&
		    !stats_value(line, "commit overrun:", &cpu->commit_overrun) &&
		    !stats_value(line, "dropped events:", &cpu->dropped_events) &&
		    !stats_value(line, "read events:", &cpu->read_events) &&
		    !stats_value(line, "overwritten:", &cpu->overwritten) &&
		    !stats_value(line, "dropped at the end:", &cpu->dropped_last) &&
		    !stats_value(line, "bytes:", &cpu->bytes) && !take_now(line, cpu))
			cpu->truncated |= stats_value(line, "cut short:", &number);
	}
	if (cpu)
		trace->truncated |= cpu->truncated;
}
