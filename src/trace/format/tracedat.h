/* SPDX-License-Identifier: MIT
 *
 * The contents of a trace.dat: the header sections and the ring-buffer pages of each CPU. Points into the bytes of the
 * file, which the caller holds.
 *
 * The reader is of trace-cmd's trace.dat, version 6, and version 7 without compression. Source:
 * Documentation/trace-cmd/trace-cmd.dat.v6.5.txt of trace-cmd. Of several buffers in a file it reads the top-level one,
 * or the only instance if there is no top-level one. Pure. All input is hostile. */
#ifndef TRACE_FORMAT_TRACEDAT_H
#define TRACE_FORMAT_TRACEDAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/error.h"
#include "trace/format/event_format.h"
#include "trace/format/ring_page.h"

struct tracedat_cpu {
	uint32_t cpu;         /* CPU number, below 16384; in ascending order */
	const uint8_t *pages; /* ring-buffer pages of page_size bytes each; the last may be cut (size % page_size) */
	uint64_t size;        /* bytes present in the file */
	bool truncated;       /* the file ends early, or its writer reports that it had no room for the last pages */
	/* from the file's CPUSTAT option, i.e. the kernel's per_cpu/cpuN/stats; has_stats false if absent */
	bool has_stats;
	uint64_t entries, overrun, commit_overrun, dropped_events, read_events, bytes;
	uint64_t overwritten; /* by a flight recorder before the first page; intended, not counted as loss */
	/* Those of dropped_events after the last page, which no later page can report. UINT64_MAX if unknown: kernel
	 * and trace-cmd do not record it. */
	uint64_t dropped_last;
};

struct tracedat {
	unsigned int version;
	struct ring_page_layout layout; /* from header_page */
	uint32_t page_size;
	struct event_format_table events; /* every event format in the file */
	bool truncated;                   /* true if any CPU's pages are truncated */
	uint32_t skipped_buffers;         /* instances other than the buffer that is read */
	size_t cpu_count;
	struct tracedat_cpu *cpus;
	char clock[32]; /* "mono"; "" if unknown */
	/* Nanoseconds to add to the time of every record: trace-cmd record --date (time of day) and --ts-offset. A
	 * negative offset is stored in two's complement. */
	uint64_t ts_offset;
	char uname[256]; /* "" if unknown */
	/* saved_cmdlines: pid to comm */
	const char *cmdlines;
	size_t cmdlines_size;
	/* Lines of /proc/kallsyms for the symbols in the file; often none. */
	const char *kallsyms;
	size_t kallsyms_size;
	/* The recorder had the kernel follow some tasks and their children: nothing else is in the trace. Numbers of
	 * the tasks followed from the beginning, in any order. */
	bool followed_only;
	struct text_span followed;
	struct text_span offline_cpus; /* when the recording started; a list such as "1,3"; empty if unknown */
};

void tracedat_free(struct tracedat *trace);
/* Leaves out the pages of each CPU that end before ts_ns: only the last page that begins at or before it stays, and
 * those after it. */
void tracedat_skip_before(struct tracedat *trace, uint64_t ts_ns);

/* Parses the headers; pages are checked when they are read. name is for error messages. STATUS_CORRUPT,
 * STATUS_UNSUPPORTED (compressed v7, big-endian, or not a trace.dat; the message says which). A file that ends early
 * is accepted if its headers are complete; trace->truncated is then set. The bytes must outlive *trace, which needs no
 * tracedat_free() after a failure. */
enum status tracedat_parse(const uint8_t *bytes, size_t length, const char *name, struct tracedat *trace,
			   struct error *err);

#endif
