/* SPDX-License-Identifier: MIT
 *
 * The buffers of a trace.dat: the top-level one and those of instances; which of them is read. Internal to the
 * reader. */
#ifndef TRACE_FORMAT_TRACEDAT_BUFFERS_H
#define TRACE_FORMAT_TRACEDAT_BUFFERS_H

#include "trace/format/tracedat_parts.h"

/* The CPUs of one buffer. */
struct tracedat_buffer {
	struct text_span name; /* empty: the top-level buffer */
	char clock[TRACEDAT_CLOCK_SIZE];
	uint32_t page_size;
	bool truncated;
	size_t cpu_count; /* 0: the buffer holds nothing */
	struct tracedat_cpu *cpus;
};

struct tracedat_buffers {
	struct tracedat_buffer *items;
	uint32_t count;
};

/* Adds a buffer; the functions below that name none are about the last one. */
enum status tracedat_buffer_begin(const struct tracedat_parser *parser, struct text_span name, uint32_t page_size);
struct tracedat_buffer *tracedat_buffer_last(const struct tracedat_parser *parser);
/* Makes room for count CPUs, numbered from 0. */
enum status tracedat_add_cpus(const struct tracedat_parser *parser, uint64_t count);
/* Sets the pages of the CPU at index. Pages beyond the end of the file are left out and set truncated. */
enum status tracedat_place_pages(const struct tracedat_parser *parser, size_t index, uint64_t offset, uint64_t size);

/* Moves the buffer that is to be read into the trace: see tracedat_parse_instance(). Call it when all are known.
 * trace->clock may be that of TRACECLOCK. */
enum status tracedat_buffer_choose(const struct tracedat_parser *parser);
/* Counts what a ring of pages has overwritten, once the statistics are known. */
void tracedat_count_overwritten(struct tracedat *trace);
void tracedat_buffers_free(struct tracedat_buffers *buffers);

#endif
