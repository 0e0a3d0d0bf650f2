/* SPDX-License-Identifier: MIT
 *
 * Text from traces and guests made harmless for where it is shown. */
#ifndef BASE_ESCAPE_H
#define BASE_ESCAPE_H

#include <stddef.h>

#include "base/buffer.h"

/* Copies length bytes of from into to (of size bytes, always terminated), with control characters
 * other than newline and tab, DEL, and bytes that are not valid UTF-8, written as \xNN, so that text from a guest
 * cannot move the cursor or change colours. Returns the length of what was written. */
size_t escape_terminal(const char *from, size_t length, char *to, size_t size);

/* The same, with newline and tab written as \xNN too: for what must stay on one line. */
size_t escape_line(const char *from, size_t length, char *to, size_t size);

/* Makes all that the buffer holds so, for a terminal; a carriage return in front of a newline is left out. */
void escape_buffer(struct buffer *buffer);

/* The length of the UTF-8 sequence that starts at text (at most length bytes left), or 0 where there
 * is no valid one (overlong forms, surrogates and values above U+10FFFF are invalid). */
size_t utf8_sequence(const char *text, size_t length);

/* How many columns of a terminal the text takes: one per character. */
size_t utf8_columns(const char *text, size_t length);
/* How many bytes of the text fit into so many columns. */
size_t utf8_fitting(const char *text, size_t length, size_t columns);

#endif
