/* SPDX-License-Identifier: MIT
 *
 * Texts wrapped at 80 columns: help texts on standard output, and texts in a buffer. */
#ifndef BASE_WRAP_H
#define BASE_WRAP_H

#include <stddef.h>

#include "base/buffer.h"

/* Prints the words of a text, starting at column; further lines start at indent. A word longer than a line gets a line
 * of its own. Returns the column after the last word. */
size_t wrap_words(const char *text, size_t length, size_t column, size_t indent);

/* Adds a text that starts at column indent, where further lines start too, and a newline. */
void wrap_add(const char *text, size_t indent, struct buffer *out);

/* Prints paragraphs. Consecutive long lines are one paragraph and are wrapped again. A line that begins with a space is
 * a row of a list: the text after two spaces, with the lines aligned under it, is wrapped in its own column. */
void wrap_paragraphs(const char *text);

/* Prints example commands, each with its comment after a #; a comment that does not fit goes on the line before. */
void wrap_examples(const char *text);

#endif
