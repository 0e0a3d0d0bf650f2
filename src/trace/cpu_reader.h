/* SPDX-License-Identifier: MIT
 *
 * Reads the records of one CPU, page by page, and reports the events lost between them. */
#ifndef TRACE_CPU_READER_H
#define TRACE_CPU_READER_H

#include "trace/format/tracedat.h"

/* A trace clock can step back slightly when it is corrected. Within a page, the kernel then records the time of the
 * previous event; this reader does the same between pages. A larger step means that the page is damaged. */
#define CPU_READER_BACKWARDS_MAX_NS UINT64_C(10000000)

/* Source of further pages of a live trace. */
struct page_source {
	/* The next page of the CPU at this index of the trace: page_size bytes, valid until the next call for the same
	 * CPU. STATUS_END: no page is available now. */
	enum status (*next)(void *context, size_t index, const uint8_t **page, struct error *err);
	void *context;
};

struct cpu_reader {
	const struct tracedat *trace;
	const struct tracedat_cpu *cpu;
	const char *name;                 /* of the trace, for error messages */
	const struct page_source *source; /* NULL: the pages are cpu->pages */
	uint64_t next_page;
	struct ring_page page;
	struct ring_record record; /* the current record */
	bool has_record;
	uint64_t last_ts;
	/* Events lost just before the current record. */
	bool missed, missed_known;
	uint64_t missed_count;
	/* Running totals. */
	uint64_t missed_events, missed_ranges;
	uint64_t missed_after_ns,
	    missed_before_ns; /* times of the records before the first loss and after the last one */
	uint64_t backwards_events, backwards_max_ns;
};

void cpu_reader_start(struct cpu_reader *reader, const struct tracedat *trace, const struct tracedat_cpu *cpu,
		      const char *name);
/* Advances to the next record; STATUS_END after the last, STATUS_CORRUPT with CPU and page. */
enum status cpu_reader_next(struct cpu_reader *reader, struct error *err);

/* Fast path of cpu_reader_next(): advances if the next record needs only a step within the page. Otherwise it changes
 * nothing and returns false: call cpu_reader_next(). */
static inline bool cpu_reader_take(struct cpu_reader *reader)
{
	struct ring_page page = reader->page;
	struct ring_record record;

	if (reader->missed || !ring_page_take(&page, &record))
		return false;
	record.ts += reader->trace->ts_offset;
	if (record.ts < reader->last_ts)
		return false;
	reader->page.at = page.at;
	reader->page.ts = page.ts;
	reader->record = record;
	reader->last_ts = record.ts;
	return true;
}
/* Puts "NAME: CPU 2, page 17" into err->where and returns status. */
enum status cpu_reader_place(const struct cpu_reader *reader, enum status status, struct error *err);

#endif
