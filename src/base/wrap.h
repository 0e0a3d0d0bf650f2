/* SPDX-License-Identifier: MIT
 *
 * Texts of the help on standard output, in lines of at most 80 columns, as a terminal has at least and a page of text
 * at most. */
#ifndef BASE_WRAP_H
#define BASE_WRAP_H

#include <stddef.h>

/* Prints the words of a text behind what already fills the line up to column; further lines begin at indent. A word
 * that is too long for a line has one of its own. Returns the column that it ended at. */
size_t wrap_words(const char *text, size_t length, size_t column, size_t indent);

/* Prints paragraphs: lines of which each but the last is a long one are one paragraph, and broken anew. A line that
 * begins with a space is a row of a list: what follows two spaces in it, and on lines that begin right under that, is
 * broken in its own column. */
void wrap_paragraphs(const char *text);

/* Prints commands with what they do behind a #, line by line; on the line before, where both do not fit. */
void wrap_examples(const char *text);

#endif
