/* SPDX-License-Identifier: MIT
 *
 * Parsers of the parts that versions 6 and 7 of trace.dat share. Internal to the reader. */
#ifndef TRACE_FORMAT_TRACEDAT_PARTS_H
#define TRACE_FORMAT_TRACEDAT_PARTS_H

#include "base/error.h"
#include "trace/format/byte_reader.h"
#include "trace/format/tracedat.h"
#include "trace/format/tracedat_layout.h"

struct tracedat_buffers;

struct tracedat_parser {
	struct tracedat *trace;
	struct tracedat_buffers *buffers;
	const char *instance; /* the wanted one; NULL: see tracedat_parse_instance() */
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

/* TRACECLOCK: its text, or that of the trace_clock file after the CPUs. */
void tracedat_set_clock(char clock[TRACEDAT_CLOCK_SIZE], struct text_span text);
/* Options of both versions: UNAME and those that shift all times. Others are ignored. */
void tracedat_take_option(struct tracedat *trace, uint16_t option, struct text_span text);
/* CPUSTAT: assigned to the CPU that it names, if it belongs to the buffer that is read. A text that names no CPU can
 * name the buffer of those that follow ("Buffer: NAME"; before it, the top-level one), or have TRACEDAT_FOLLOWED and
 * TRACEDAT_OFFLINE. *buffer holds that name from one call to the next; at first it is empty. */
void tracedat_set_cpu_stats(struct tracedat *trace, struct text_span *buffer, struct text_span text);

enum status tracedat_parse_v6(const struct tracedat_parser *parser, struct byte_reader *reader);
enum status tracedat_parse_v7(const struct tracedat_parser *parser, struct byte_reader *reader);

#endif
