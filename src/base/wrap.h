/* SPDX-License-Identifier: MIT
 *
 * Help texts on standard output, and lines of results, wrapped at 80 columns. */
#ifndef BASE_WRAP_H
#define BASE_WRAP_H

#include <stddef.h>

#include "base/buffer.h"

/* Prints the words of a text, starting at column; further lines start at indent. A word longer than a line gets a line
 * of its own. Returns the column after the last word. */
size_t wrap_words(const char *text, size_t length, size_t column, size_t indent);

/* Adds text and a newline, broken at spaces into lines of less than 80 columns. The first line starts at column, and
 * further lines are indented to it. */
void wrap_add(const char *text, size_t column, struct buffer *out);

/* Prints paragraphs. Consecutive long lines are one paragraph and are wrapped again. A line that begins with a space is
 * a row of a list: the text after two spaces, with the lines aligned under it, is wrapped in its own column. */
void wrap_paragraphs(const char *text);

/* Prints example commands, each with its comment after a #; a comment that does not fit goes on the line before. */
void wrap_examples(const char *text);

#endif
