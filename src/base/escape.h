/* SPDX-License-Identifier: MIT
 *
 * Text from traces and guests, escaped for the place where it is shown. */
#ifndef BASE_ESCAPE_H
#define BASE_ESCAPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"

/* Copies length bytes of from into to (of size bytes, always terminated), with the bytes of control characters
 * (utf8_is_control()) other than newline and tab, and bytes that are not valid UTF-8, written as \xNN, so that text
 * from a guest cannot move the cursor, change colours, or hide or reorder text. Returns the number of bytes written. */
size_t escape_terminal(const char *from, size_t length, char *to, size_t size);

/* The same, with newline and tab written as \xNN too: for text that must stay on one line. */
size_t escape_line(const char *from, size_t length, char *to, size_t size);
/* Appends the result of escape_line(). */
void escape_line_add(const char *text, size_t length, struct buffer *out);

/* Escapes the whole buffer for a terminal; a carriage return before a newline is dropped. */
void escape_buffer(struct buffer *buffer);

/* The length of the UTF-8 sequence that starts at text (at most length bytes left), or 0 if there
 * is no valid one (overlong forms, surrogates and values above U+10FFFF are invalid). */
size_t utf8_sequence(const char *text, size_t length);

/* The code point of a valid sequence. */
uint32_t utf8_code(const char *text, size_t sequence);
/* True for control characters (C0, C1, DEL) and for invisible characters, such as bidirectional controls and zero-width
 * characters. */
bool utf8_is_control(uint32_t code);
/* The same as utf8_sequence(), but 0 also for control characters. */
size_t utf8_printable(const char *text, size_t length);

/* The number of terminal columns of the text: one per character. */
size_t utf8_columns(const char *text, size_t length);
/* The number of bytes of the text that fit into this number of columns. */
size_t utf8_fitting(const char *text, size_t length, size_t columns);

#endif
