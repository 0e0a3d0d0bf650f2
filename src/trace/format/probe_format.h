/* SPDX-License-Identifier: MIT
 *
 * Formats of events that are defined as probes. The kernel writes what it knows twice, so that a damaged text shows:
 * the fields follow each other without a gap, each as wide as its type, and the print format names them in the same
 * order. Source: traceprobe_define_arg_fields() and __set_print_fmt() in kernel/trace/trace_probe.c. Input is hostile.
 */
#ifndef TRACE_FORMAT_PROBE_FORMAT_H
#define TRACE_FORMAT_PROBE_FORMAT_H

#include "trace/format/event_format.h"

/* STATUS_CORRUPT names the event and the field. *length: of a record, in bytes; up to PROBE_PADDING more are padding.
 */
#define PROBE_PADDING 3u
enum status probe_format_check(const struct event_format *format, uint32_t *length, struct error *err);

#endif
