/* SPDX-License-Identifier: MIT
 *
 * Texts as roff with the macros of man(7): every byte of a text is printed as it is. All functions add whole lines. */
#ifndef PRINT_MANUAL_ROFF_H
#define PRINT_MANUAL_ROFF_H

#include "base/buffer.h"

enum roff_font { ROFF_ROMAN = 'R', ROFF_BOLD = 'B', ROFF_ITALIC = 'I' };

/* Adds bytes in a font, within a line. */
void roff_add_inline(enum roff_font font, const char *text, size_t length, struct buffer *out);
/* Adds the words of a part of a string, in lines of at most 80 bytes. */
void roff_add_words(const char *text, size_t length, struct buffer *out);
/* A macro with one argument: .SH "EXIT STATUS". */
void roff_add_macro(const char *macro, const char *text, size_t length, struct buffer *out);
/* A line that is not filled. */
void roff_add_line(const char *text, size_t length, struct buffer *out);
/* Adds the body of a section: paragraphs, rows and lines as base/wrap.h defines them. Paragraphs in capitals are
 * headings of sections. */
void roff_add_text(const char *text, struct buffer *out);

#endif
