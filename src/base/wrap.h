/* SPDX-License-Identifier: MIT
 *
 * Wraps texts into a buffer. */
#ifndef BASE_WRAP_H
#define BASE_WRAP_H

#include <stddef.h>

#include "base/buffer.h"

/* Adds a text that starts at column, and a newline. Further lines start at indent. width: max columns of a line, 0: no
 * limit. */
void wrap_add(const char *text, size_t column, size_t indent, size_t width, struct buffer *out);

/* Adds each line of a text, wrapped: continuation lines are indented by two more spaces. */
void wrap_lines(const char *text, size_t width, struct buffer *out);

#endif
