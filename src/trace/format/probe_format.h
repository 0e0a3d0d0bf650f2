/* SPDX-License-Identifier: MIT
 *
 * Formats of events that are defined as probes. The kernel describes the fields twice, so damage to the text can be
 * detected: the fields follow each other without a gap, each as wide as its type, and the print format names them in
 * the same order. Source: traceprobe_define_arg_fields() and __set_print_fmt() in kernel/trace/trace_probe.c. Input is
 * hostile. */
#ifndef TRACE_FORMAT_PROBE_FORMAT_H
#define TRACE_FORMAT_PROBE_FORMAT_H

#include "trace/format/event_format.h"

/* STATUS_CORRUPT names the event and the field. *length: bytes of a record; up to PROBE_PADDING bytes of padding may
 * follow. */
#define PROBE_PADDING 3u
enum status probe_format_check(const struct event_format *format, uint32_t *length, struct error *err);

#endif
