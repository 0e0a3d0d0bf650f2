/* SPDX-License-Identifier: MIT
 *
 * A trace.dat in the kernel's text format: the content of the tracefs file "trace" for the same buffer, including
 * the header. Source: kernel/trace/trace.c (print_func_help_header_irq(), print_trace_line(), test_cpu_buff_start())
 * and kernel/trace/trace_output.c (trace_print_context(), trace_print_lat_fmt()), from 5.17 to 6.18. */
#ifndef EXPORT_TRACE_TEXT_H
#define EXPORT_TRACE_TEXT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/output_stream.h"
#include "export/pause.h"
#include "trace/format/tracedat.h"
#include "trace/stream.h"

struct trace_text_options {
	bool nanoseconds; /* nine decimals instead of six */
	struct export_pause pause;
};

/* Writes the whole trace to sink, and counts its events (of all kinds) in *events. Bad pages give STATUS_CORRUPT
 * after the preceding events have been written. name is for messages. */
enum status trace_text_write(const struct tracedat *trace, const char *name, struct sched_stream *stream,
			     const struct trace_text_options *options, struct output_stream *sink, uint64_t *events,
			     struct error *err);

#endif
