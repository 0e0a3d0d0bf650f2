/* SPDX-License-Identifier: MIT
 *
 * The contents of a trace.dat: the header sections, and the ring-buffer pages of each CPU. Points into the bytes of the
 * file, which the caller holds. tracedat_read.h makes it. */
#ifndef FORMAT_TRACEDAT_H
#define FORMAT_TRACEDAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "format/event_format.h"
#include "format/ring_page.h"

struct tracedat_cpu {
	uint32_t cpu;         /* its number, below 16384; each is larger than the one before */
	const uint8_t *pages; /* ring-buffer pages of page_size bytes each; the last may be cut (size % page_size) */
	uint64_t size;        /* as much as the file holds of them */
	bool truncated;       /* the file ends before they do, or its writer says that it had no room for the last */
	/* from the file's CPUSTAT option, i.e. the kernel's per_cpu/cpuN/stats; has_stats false if absent */
	bool has_stats;
	uint64_t entries, overrun, commit_overrun, dropped_events, read_events, bytes;
	uint64_t overwritten; /* by a flight recorder before the first page, as it was meant to: no loss */
	/* Of dropped_events those after the last page, which no other page can report. Kernel and trace-cmd do
	 * not say, for their pages never tell of any: UINT64_MAX. */
	uint64_t dropped_last;
};

struct tracedat {
	unsigned int version;
	struct ring_page_layout layout; /* from header_page */
	uint32_t page_size;
	struct event_format_table events; /* every event format in the file */
	bool truncated;                   /* of some CPU */
	uint32_t skipped_buffers;         /* instances beside the buffer that is read */
	size_t cpu_count;
	struct tracedat_cpu *cpus;
	char clock[32]; /* "mono"; "" if the file does not say */
	/* To be added to the time of every record, as trace-cmd does, in nanoseconds: trace-cmd record --date (the time
	 * of day) and --ts-offset. A negative one is its two's complement. */
	uint64_t ts_offset;
	char uname[256]; /* "" if the file does not say */
	/* saved_cmdlines: pid to comm */
	const char *cmdlines;
	size_t cmdlines_size;
	/* Lines as in /proc/kallsyms, of as many symbols as the file has; often none. */
	const char *kallsyms;
	size_t kallsyms_size;
};

void tracedat_free(struct tracedat *trace);

#endif
