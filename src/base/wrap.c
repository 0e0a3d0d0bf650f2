/* SPDX-License-Identifier: MIT */
#include "base/wrap.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/escape.h"

#define COLUMNS      80u
#define LONG_COLUMNS 70u /* a shorter line ends a paragraph */

size_t wrap_words(const char *text, size_t length, size_t column, size_t indent)
{
	const char *end = text + length;
	bool first = true;

	while (text < end) {
		size_t word = strcspn(text, " \n");
		if (word > (size_t)(end - text))
			word = (size_t)(end - text);
		size_t width = utf8_columns(text, word);
		if (word && column > indent && column + !first + width > COLUMNS) {
			printf("\n%*s", (int)indent, "");
			column = indent;
			first = true;
		}
		if (word) {
			printf("%s%.*s", first ? "" : " ", (int)word, text);
			column += width + !first;
			first = false;
		}
		text += word + (text + word < end);
	}
	return column;
}

/* The column of a list row's text: after two spaces, else after the leading spaces. */
static size_t text_column(const char *line, size_t length)
{
	size_t indent = strspn(line, " ");

	for (size_t at = indent; at + 2 < length; at++)
		if (line[at] == ' ' && line[at + 1] == ' ')
			return at + strspn(line + at, " ");
	return indent;
}

static bool goes_on(const char *line, size_t length, const char *next, size_t column)
{
	size_t indent = strspn(next, " ");

	if (*next == '\0' || next[indent] == '\n')
		return false;
	return column ? indent == column : indent == 0 && length >= LONG_COLUMNS && *line != ' ';
}

void wrap_paragraphs(const char *text)
{
	while (*text) {
		size_t length = strcspn(text, "\n");
		size_t column = text_column(text, length);
		const char *end = text + length;
		for (const char *line = text; *end && goes_on(line, (size_t)(end - line), end + 1, column);) {
			line = end + 1;
			end = line + strcspn(line, "\n");
		}
		printf("%.*s", (int)column, text);
		wrap_words(text + column, (size_t)(end - text) - column, column, column);
		putchar('\n');
		text = end + (*end == '\n');
	}
}

void wrap_examples(const char *text)
{
	while (*text) {
		size_t length = strcspn(text, "\n");
		const char *comment = memchr(text, '#', length);
		/* A # inside the command itself is no comment. */
		while (comment && comment > text && comment[-1] != ' ')
			comment = memchr(comment + 1, '#', length - (size_t)(comment + 1 - text));
		size_t command = comment ? (size_t)(comment - text) : length;
		while (command && text[command - 1] == ' ')
			command--;
		if (comment && utf8_columns(text, length) > COLUMNS)
			printf("  %.*s\n%.*s\n", (int)(length - (size_t)(comment - text)), comment, (int)command, text);
		else
			printf("%.*s\n", (int)length, text);
		text += length + (text[length] == '\n');
	}
}

void wrap_add(const char *text, size_t indent, struct buffer *out)
{
	size_t room = 79 - indent;

	while (strlen(text) > room) {
		size_t length = room;
		while (length && text[length] != ' ')
			length--;
		if (length == 0)
			break;
		buffer_printf(out, "%.*s\n%*s", (int)length, text, (int)indent, "");
		text += length + 1;
	}
	buffer_printf(out, "%s\n", text);
}
