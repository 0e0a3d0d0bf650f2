/* SPDX-License-Identifier: MIT
 *
 * The C expressions in the arguments of a "print fmt" that give text and speak of one field: ?: | & ^ == != << + - ~,
 * numbers, strings, REC->FIELD, __print_flags() and __print_symbolic(). Used by print_format alone. */
#ifndef FORMAT_PRINT_EXPRESSION_H
#define FORMAT_PRINT_EXPRESSION_H

#include <stdint.h>

#include "base/error.h"
#include "format/event_format.h"

struct print_expression;

/* STATUS_CORRUPT, STATUS_UNSUPPORTED as print_format_compile(). Points into text. */
enum status print_expression_compile(struct text_span text, const char *field, const char *where,
				     struct print_expression **expression, struct error *err);
void print_expression_free(struct print_expression *expression);

/* Writes the text for this value of the field, terminated and cut to size - 1 bytes (size > 0); returns its length. */
size_t print_expression_render(const struct print_expression *expression, uint64_t value, char *text, size_t size);

#endif
