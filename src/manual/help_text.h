/* SPDX-License-Identifier: MIT
 *
 * Help texts on standard output, wrapped at 80 columns. */
#ifndef MANUAL_HELP_TEXT_H
#define MANUAL_HELP_TEXT_H

#include <stddef.h>

/* Prints the words of a text, starting at column; further lines start at indent. A word longer than a line gets a line
 * of its own. Returns the column after the last word. */
size_t help_words(const char *text, size_t length, size_t column, size_t indent);

/* Prints the paragraphs and rows of a text, each wrapped in its own column. Consecutive long lines are one paragraph. A
 * line that begins with a space is a row: its text begins after two spaces, else after the leading spaces. A line with
 * fewer than eight leading spaces and no second column is kept as it is. */
void help_paragraphs(const char *text);

/* Prints example commands, each with its comment after a #; a comment that does not fit is printed on the line
 * before. */
void help_examples(const char *text);

#endif
