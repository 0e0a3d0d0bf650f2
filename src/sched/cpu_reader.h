/* SPDX-License-Identifier: MIT
 *
 * The records of one CPU, page after page, with what is known to be missing between them. Used by stream.c. */
#ifndef SCHED_CPU_READER_H
#define SCHED_CPU_READER_H

#include "format/tracedat.h"

/* A trace clock can step back by a little when it is corrected. The kernel hides that within a page by recording the
 * time of the event before; the same is done here between pages. A page that is further back is damaged. */
#define CPU_READER_BACKWARDS_MOST_NS UINT64_C(10000000)

/* Where further pages of a trace that is still being recorded come from. */
struct page_source {
	/* The next page of the CPU at this index of the trace, of the trace's page_size bytes, good until the next call
	 * for the same CPU. STATUS_END: there is none just now. */
	enum status (*next)(void *context, size_t index, const uint8_t **page, struct error *err);
	void *context;
};

struct cpu_reader {
	const struct tracedat *trace;
	const struct tracedat_cpu *cpu;
	const char *name;                 /* of the trace, for errors */
	const struct page_source *source; /* NULL: the pages are cpu->pages */
	uint64_t next_page;
	struct ring_page page;
	struct ring_record record; /* the current one */
	bool has_record;
	uint64_t last_ts;
	/* Lost just before the current record. */
	bool missed, missed_known;
	uint64_t missed_count;
	/* In all, so far. */
	uint64_t missed_events, missed_ranges;
	uint64_t missed_after_ns, missed_before_ns; /* the records before the first loss and after the last */
	uint64_t backwards_events, backwards_max_ns;
};

void cpu_reader_start(struct cpu_reader *reader, const struct tracedat *trace, const struct tracedat_cpu *cpu,
		      const char *name);
/* Makes the next record the current one; STATUS_END after the last, STATUS_CORRUPT with CPU and page. */
enum status cpu_reader_next(struct cpu_reader *reader, struct error *err);
/* Puts "NAME: CPU 2, page 17" into err->where and returns status. */
enum status cpu_reader_place(const struct cpu_reader *reader, enum status status, struct error *err);

#endif
