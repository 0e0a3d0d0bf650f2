/* SPDX-License-Identifier: MIT
 *
 * Makes the header of trace.dat version 6: all bytes before the per-CPU pages. Pure; capture/ does the file I/O. */
#ifndef TRACE_FORMAT_TRACEDAT_WRITE_H
#define TRACE_FORMAT_TRACEDAT_WRITE_H

#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/error.h"

struct tracedat_event_file {
	const char *system; /* "sched" */
	const char *format; /* text of events/SYSTEM/NAME/format */
	size_t format_size;
};

struct tracedat_header {
	const char *header_page, *header_event; /* texts of events/header_page, events/header_event */
	size_t header_page_size, header_event_size;
	const struct tracedat_event_file *events; /* grouped by system */
	size_t event_count;
	const char *kallsyms, *printk_formats, *saved_cmdlines;
	size_t kallsyms_size, printk_formats_size, saved_cmdlines_size;
	uint32_t page_size; /* of ring-buffer pages */
	uint32_t cpu_count;
	const char *clock; /* the text of the trace_clock file: "local global [mono] ..." */
	const char *uname; /* "Linux 6.1.0-50-amd64 x86_64" */
	const char *date;  /* or NULL */
	/* text of per_cpu/cpuN/stats for each of cpu_count CPUs */
	const char *const *cpu_stats;
	const char *followed;     /* numbers of the tasks that the trace is restricted to; NULL: all tasks */
	const char *offline_cpus; /* a list of CPUs that were offline when the recording started; NULL or "": none */
};

/* Position of one CPU's section; offset is a multiple of page_size. */
struct tracedat_section {
	uint64_t offset, size;
};

/* Adds the whole header, including the section table, to out. Call it first with zeroed sections to get the length,
 * then place the sections after it (tracedat_data_start()) and call again. */
enum status tracedat_write_header(const struct tracedat_header *header, const struct tracedat_section *sections,
				  struct buffer *out, struct error *err);
/* The offset of the first page after a header of this length. */
uint64_t tracedat_data_start(uint64_t header_length, uint32_t page_size);

#endif
