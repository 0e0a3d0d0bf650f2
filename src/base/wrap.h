/* SPDX-License-Identifier: MIT
 *
 * Wrapped texts: help texts on standard output at 80 columns, and texts in a buffer. */
#ifndef BASE_WRAP_H
#define BASE_WRAP_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buffer.h"

/* Prints the words of a text, starting at column; further lines start at indent. A word longer than a line gets a line
 * of its own. Returns the column after the last word. */
size_t wrap_words(const char *text, size_t length, size_t column, size_t indent);

/* Adds a text that starts at column, and a newline. Further lines start at indent. width: columns of a line, 0 for any
 * number. */
void wrap_add(const char *text, size_t column, size_t indent, size_t width, struct buffer *out);

/* Adds each line of a text, wrapped: the further lines of a line are indented by two more spaces than it. */
void wrap_lines(const char *text, size_t width, struct buffer *out);

/* One paragraph of a text, in lines that are to be wrapped again, or one row of a list: its text, which begins at
 * column, with the lines aligned under it. The bytes before column are a row's first column, or the spaces before a
 * line that is kept as it is. An empty line is a paragraph of length 0. */
struct paragraph {
	const char *begin;
	size_t column; /* 0 for a paragraph */
	size_t length; /* from begin; may hold newlines */
	bool kept;     /* one line, printed as it is: fewer than eight spaces, and no second column */
};

/* The next paragraph of *text, which is moved after it; false at the end. Consecutive long lines are one paragraph. A
 * line that begins with a space is a row: its text begins after two spaces, else after the leading spaces. */
bool wrap_next(const char **text, struct paragraph *paragraph);

/* Prints the paragraphs and rows of a text, each wrapped in its own column. */
void wrap_paragraphs(const char *text);

/* One line of example commands; begins with spaces. */
struct example {
	const char *command;
	size_t command_length;
	const char *comment; /* from its #; or NULL */
	size_t comment_length, line_length;
};

/* The next example of *text, which is moved after it; false at the end. */
bool wrap_next_example(const char **text, struct example *example);

/* Prints example commands, each with its comment after a #; a comment that does not fit goes on the line before. */
void wrap_examples(const char *text);

#endif
