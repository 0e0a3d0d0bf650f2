/* SPDX-License-Identifier: MIT
 *
 * Parsers of the parts that versions 6 and 7 of trace.dat share. Internal to the reader. */
#ifndef TRACE_FORMAT_TRACEDAT_PARTS_H
#define TRACE_FORMAT_TRACEDAT_PARTS_H

#include "base/error.h"
#include "trace/format/byte_reader.h"
#include "trace/format/tracedat.h"
#include "trace/format/tracedat_layout.h"

struct tracedat_parser {
	struct tracedat *trace;
	const uint8_t *bytes;
	size_t length;
	const char *name;
	struct error *err;
};

/* STATUS_CORRUPT: the file, or a part of it, ends within the element named by what. */
enum status tracedat_ends_within(const struct tracedat_parser *parser, const char *what);

/* header_page and header_event; fills trace->layout. */
enum status tracedat_read_headers(const struct tracedat_parser *parser, struct byte_reader *reader);
/* The formats of the ftrace system, then those of all others. */
enum status tracedat_read_ftrace_formats(const struct tracedat_parser *parser, struct byte_reader *reader);
enum status tracedat_read_event_formats(const struct tracedat_parser *parser, struct byte_reader *reader);
/* saved_cmdlines. */
enum status tracedat_read_cmdlines(const struct tracedat_parser *parser, struct byte_reader *reader);
/* Kernel symbols. */
enum status tracedat_read_kallsyms(const struct tracedat_parser *parser, struct byte_reader *reader);

/* Makes room for count CPUs, numbered from 0. */
enum status tracedat_add_cpus(const struct tracedat_parser *parser, uint64_t count);
/* Sets the pages of the CPU at index. Pages beyond the end of the file are left out and set trace->truncated. */
enum status tracedat_place_pages(const struct tracedat_parser *parser, size_t index, uint64_t offset, uint64_t size);

/* TRACECLOCK: its text, or that of the trace_clock file after the CPUs. */
void tracedat_set_clock(struct tracedat *trace, struct text_span text);
/* Options of both versions: UNAME and those that shift all times. Others are ignored. */
void tracedat_take_option(struct tracedat *trace, uint16_t option, struct text_span text);
/* CPUSTAT: assigned to the CPU that it names. Only the first one per CPU counts: it is the top-level buffer's. A text
 * that names no CPU can have TRACEDAT_FOLLOWED and TRACEDAT_OFFLINE. */
void tracedat_set_cpu_stats(struct tracedat *trace, struct text_span text);

enum status tracedat_parse_v6(const struct tracedat_parser *parser, struct byte_reader *reader);
enum status tracedat_parse_v7(const struct tracedat_parser *parser, struct byte_reader *reader);

#endif
