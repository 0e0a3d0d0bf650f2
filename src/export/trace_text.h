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
#include "trace/input.h"
#include "trace/stream.h"

/* Writes the whole trace to sink, and counts its events (of all kinds) in *events. Bad pages give STATUS_CORRUPT after
 * the preceding events have been written. stream belongs to input. nanoseconds: nine decimals instead of six. */
enum status trace_text_write(struct input *input, struct sched_stream *stream, bool nanoseconds,
			     struct output_stream *sink, uint64_t *events, struct error *err);

#endif
