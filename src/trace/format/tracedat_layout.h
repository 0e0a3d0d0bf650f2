/* SPDX-License-Identifier: MIT
 *
 * Constants of trace.dat shared by its reader and writer. Source: trace-cmd.dat.v6(5) and
 * trace-cmd.dat.v7(5). */
#ifndef TRACE_FORMAT_TRACEDAT_LAYOUT_H
#define TRACE_FORMAT_TRACEDAT_LAYOUT_H

#define TRACEDAT_MAGIC         "\x17\x08\x44tracing"
#define TRACEDAT_MAGIC_SIZE    10
#define TRACEDAT_LITTLE_ENDIAN 0
#define TRACEDAT_BIG_ENDIAN    1

/* Both are stored with their NUL. */
#define TRACEDAT_HEADER_PAGE  "header_page"
#define TRACEDAT_HEADER_EVENT "header_event"

/* Version 6: the words after the CPU count; ten bytes each, including the NUL. */
#define TRACEDAT_PART_SIZE 10
#define TRACEDAT_OPTIONS   "options  "
#define TRACEDAT_LATENCY   "latency  "
#define TRACEDAT_FLYRECORD "flyrecord"

/* More than any kernel supports (NR_CPUS is at most 8192 on x86-64). */
#define TRACEDAT_CPUS_MAX 16384

enum tracedat_option {
	TRACEDAT_OPTION_DONE = 0,
	TRACEDAT_OPTION_DATE = 1,
	TRACEDAT_OPTION_CPUSTAT = 2,
	TRACEDAT_OPTION_BUFFER = 3,
	TRACEDAT_OPTION_TRACECLOCK = 4,
	TRACEDAT_OPTION_UNAME = 5,
	TRACEDAT_OPTION_OFFSET = 7,
	TRACEDAT_OPTION_CPUCOUNT = 8,
	TRACEDAT_OPTION_TIME_SHIFT = 12,
	/* Version 7 only: each holds an offset. */
	TRACEDAT_OPTION_HEADER_INFO = 16,
	TRACEDAT_OPTION_FTRACE_EVENTS = 17,
	TRACEDAT_OPTION_EVENT_FORMATS = 18,
	TRACEDAT_OPTION_KALLSYMS = 19,
	TRACEDAT_OPTION_PRINTK = 20,
	TRACEDAT_OPTION_CMDLINES = 21,
	TRACEDAT_OPTION_BUFFER_TEXT = 22,
};

/* Lines of picknext in a CPUSTAT option that names no CPU; numbers of tasks, or a list of CPUs, follow. Other readers
 * show them with the statistics, or skip them. */
#define TRACEDAT_FOLLOWED "followed tasks:"
#define TRACEDAT_OFFLINE  "offline CPUs:"

/* Version 7: each section begins with id (2 bytes), flags (2), description (4) and size (8). */
#define TRACEDAT_SECTION_HEADER_SIZE 16
#define TRACEDAT_SECTION_COMPRESSED  1

#endif
