/* SPDX-License-Identifier: MIT
 *
 * How an event's own "print fmt" writes one of its fields as text: "prev_state=%s%s" with the expressions after it,
 * __print_flags() tables and all. What the bits mean moved between kernels, so they are never constants of ours.
 * Source: include/trace/events/sched.h as tracefs shows it, trace_print_flags_seq() in kernel/trace/trace_output.c. */
#ifndef FORMAT_PRINT_FORMAT_H
#define FORMAT_PRINT_FORMAT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "format/event_format.h"

struct print_format;

/* Compiles the arguments of the %s conversions that directly follow "FIELD=" in the format string. They may speak of
 * no other field. STATUS_CORRUPT if the text is not a C expression, STATUS_UNSUPPORTED if it is more than
 * the operators, __print_flags and __print_symbolic that are known. The event's text must outlive *print. */
enum status print_format_compile(const struct event_format *format, const char *field, struct print_format **print,
				 struct error *err);
void print_format_free(struct print_format *print);

/* Writes the field's value as the kernel would; cut to size - 1 bytes. Returns the length written. */
size_t print_format_render(const struct print_format *print, uint64_t value, char *text, size_t size);

/* The parts of "FORMAT", ARGUMENT, ...: takes the format string (without its quotes, escapes as they stand) off the
 * front of *rest, then each argument up to the next comma that no bracket or string encloses. False if it is not
 * there. */
bool print_format_take_string(struct text_span *rest, struct text_span *string);
bool print_format_take_argument(struct text_span *rest, struct text_span *argument);

#endif
