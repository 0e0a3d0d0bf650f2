/* SPDX-License-Identifier: MIT
 *
 * C expressions in the arguments of a "print fmt" that yield text and refer to one field: ?: | & ^ == != << + - ~,
 * numbers, strings, REC->FIELD, __print_flags() and __print_symbolic(). */
#ifndef TRACE_FORMAT_PRINT_EXPRESSION_H
#define TRACE_FORMAT_PRINT_EXPRESSION_H

#include <stdint.h>

#include "base/error.h"
#include "trace/format/event_format.h"

struct print_expression;

/* Errors: see print_format_compile(). *expression points into text. */
enum status print_expression_compile(struct text_span text, const char *field, const char *where,
				     struct print_expression **expression, struct error *err);
void print_expression_free(struct print_expression *expression);

/* Writes the text for this value of the field, terminated and cut to size - 1 bytes (size > 0); returns its length. */
size_t print_expression_render(const struct print_expression *expression, uint64_t value, char *text, size_t size);

#endif
