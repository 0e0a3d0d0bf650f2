/* SPDX-License-Identifier: MIT
 *
 * The contents of a trace.dat: the header sections and the ring-buffer pages of each CPU. Points into the bytes of the
 * file, which the caller holds.
 *
 * Reads version 6 of trace-cmd's format, and version 7 without compression. Source:
 * Documentation/trace-cmd/trace-cmd.dat.v6.5.txt of trace-cmd. If a file has several buffers (the top-level one and
 * those of instances), one of them is read. Pure. All input is hostile. */
#ifndef TRACE_FORMAT_TRACEDAT_H
#define TRACE_FORMAT_TRACEDAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/error.h"
#include "trace/format/event_format.h"
#include "trace/format/ring_page.h"

#define TRACEDAT_CLOCK_SIZE 32

struct tracedat_cpu {
	uint32_t cpu;         /* CPU number, below 16384; in ascending order */
	const uint8_t *pages; /* ring-buffer pages of page_size bytes each; the last may be cut (size % page_size) */
	uint64_t size;        /* bytes present in the file */
	bool truncated;       /* the file ends early, or its writer reports that it had no room for the last pages */
	/* From the file's CPUSTAT option, which has the kernel's per_cpu/cpuN/stats; has_stats is false if there is
	 * none. */
	bool has_stats;
	uint64_t entries, overrun, commit_overrun, dropped_events, read_events, bytes;
	uint64_t now_ns; /* when they were read, to the microsecond; 0 if unknown */
	/* Overwritten before the first page, by a flight recorder or a ring of pages (trace-cmd record -m); intended,
	 * not counted as loss. */
	uint64_t overwritten;
	/* The part of dropped_events that came after the last page; no later page can report them. UINT64_MAX if
	 * unknown: the kernel and trace-cmd do not record it. */
	uint64_t dropped_last;
};

struct tracedat {
	unsigned int version;
	struct ring_page_layout layout; /* from header_page */
	uint32_t page_size;
	struct event_format_table events; /* every event format in the file */
	bool truncated;                   /* true if any CPU's pages are truncated */
	struct text_span buffer;          /* name of the instance that is read; empty: the top-level buffer */
	struct text_span *instances;      /* all instances with CPUs */
	uint32_t instance_count;
	uint32_t skipped_buffers; /* buffers that are not read */
	size_t cpu_count;
	struct tracedat_cpu *cpus;
	char clock[TRACEDAT_CLOCK_SIZE]; /* "mono"; "" if unknown */
	/* Nanoseconds to add to the time of every record: trace-cmd record --date (time of day) and --ts-offset. A
	 * negative offset is stored in two's complement. */
	uint64_t ts_offset;
	bool has_time_shift; /* a guest's file, with the shift to its host's time, which is left out */
	char uname[256];     /* "" if unknown */
	/* saved_cmdlines: pid to comm */
	const char *cmdlines;
	size_t cmdlines_size;
	/* Lines of /proc/kallsyms for the symbols in the file; often none. */
	const char *kallsyms;
	size_t kallsyms_size;
	/* The kernel followed some tasks and their children: the trace has no other events. followed: PIDs of the tasks
	 * that were followed from the beginning, in any order. */
	bool followed_only;
	struct text_span followed;
	struct text_span offline_cpus; /* when the recording started; a list such as "1,3"; empty if unknown */
};

void tracedat_free(struct tracedat *trace);
/* Leaves out old pages of each CPU: keeps the last page that begins at or before ts_ns and all later pages. */
void tracedat_skip_before(struct tracedat *trace, uint64_t ts_ns);
/* Whether an event with this number (common_type) was recorded; stops at damage. Reads pages, but no event. */
bool tracedat_has_event(const struct tracedat *trace, uint32_t id);

/* Parses the headers; pages are checked when they are read. name is for error messages. STATUS_CORRUPT,
 * STATUS_UNSUPPORTED (compressed v7, big-endian, or not a trace.dat; the message says which). A file that ends early
 * is accepted if its headers are complete; trace->truncated is then set. The bytes must outlive *trace, which needs no
 * tracedat_free() after a failure. */
enum status tracedat_parse(const uint8_t *bytes, size_t length, const char *name, struct tracedat *trace,
			   struct error *err);
/* The same for the buffer of an instance; STATUS_USAGE with the names if there is no such instance. NULL: the top-level
 * buffer if it has sched_switch events, else the only instance that has; STATUS_UNSUPPORTED with the names if several
 * have. If no buffer has any, the top-level one, or the first. */
enum status tracedat_parse_instance(const uint8_t *bytes, size_t length, const char *name, const char *instance,
				    struct tracedat *trace, struct error *err);

#endif
