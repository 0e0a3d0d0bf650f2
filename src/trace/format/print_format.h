/* SPDX-License-Identifier: MIT
 *
 * Renders one field of an event as its "print fmt" does: "prev_state=%s%s" with the expressions of both arguments,
 * including __print_flags() tables. The meaning of the bits differs between kernels, so it always comes from the trace.
 * Source: include/trace/events/sched.h as tracefs shows it, trace_print_flags_seq() in kernel/trace/trace_output.c. */
#ifndef TRACE_FORMAT_PRINT_FORMAT_H
#define TRACE_FORMAT_PRINT_FORMAT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "trace/format/event_format.h"

struct print_format;

/* Compiles the arguments of the %s conversions that directly follow "FIELD=" in the format string. They may refer
 * to no other field. STATUS_CORRUPT if the text is not a C expression, STATUS_UNSUPPORTED if it has an unsupported
 * construct (see print_expression.h). The event's text must outlive *print. */
enum status print_format_compile(const struct event_format *format, const char *field, struct print_format **print,
				 struct error *err);
void print_format_free(struct print_format *print);

/* Writes the field's value as the kernel does, cut to size - 1 bytes. Returns the length written. */
size_t print_format_render(const struct print_format *print, uint64_t value, char *text, size_t size);

/* The parts of "FORMAT", ARGUMENT, ...: each call removes from the front of *rest the format string (without its
 * quotes, escapes unchanged), or an argument up to the next comma outside of brackets and strings. False if it is
 * missing. */
bool print_format_take_string(struct text_span *rest, struct text_span *string);
bool print_format_take_argument(struct text_span *rest, struct text_span *argument);

#endif
