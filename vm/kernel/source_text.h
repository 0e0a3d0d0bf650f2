/* SPDX-License-Identifier: MIT
 *
 * C source as text, in the kernel's style: the name of a function is on a line that begins in the first column, its end
 * is a brace there. */
#ifndef VM_KERNEL_SOURCE_TEXT_H
#define VM_KERNEL_SOURCE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SOURCE_NAME_MAX        95 /* bytes of a function or file */
#define SOURCE_BYTES_MAX       ((size_t)16 << 20)
#define SOURCE_LINE_MAX        10000000u
#define SOURCE_NAME_CHARACTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_"
#define SOURCE_FILE_CHARACTERS SOURCE_NAME_CHARACTERS "./-+"

struct source_line {
	const char *text;
	size_t length;
};

/* Takes the next line of a text, without its newline. False after the last one. */
bool source_next_line(const char **rest, const char *end, struct source_line *line);
/* Empty lines and comments are no code. */
bool source_is_code(const struct source_line *line);
/* Whether the line has "function(". */
bool source_has_call(const struct source_line *line, const char *function);
/* Whether the text is a name of C that a function may have. */
bool source_is_name(const char *text, size_t length);

/* The function whose lines come next. */
struct source_scan {
	char function[SOURCE_NAME_MAX + 1]; /* named last */
	bool is_inside;
};

/* Takes the next line of a text. */
void source_scan_line(struct source_scan *scan, const struct source_line *line);

/* The function that encloses a line of a text. False outside of functions. */
bool source_function_at(const char *text, size_t length, uint32_t line, char function[SOURCE_NAME_MAX + 1]);

#endif
