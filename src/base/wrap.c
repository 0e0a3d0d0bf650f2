/* SPDX-License-Identifier: MIT */
#include "base/wrap.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/escape.h"

#define COLUMNS      80u
#define LONG_COLUMNS 70u /* a shorter line ends a paragraph */
#define CELL_COLUMNS 8u  /* so many spaces begin the text of a row whose first column is the line before */

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

static bool goes_on(const char *line, size_t length, const char *next, const struct paragraph *paragraph)
{
	size_t indent = strspn(next, " ");

	if (*next == '\0' || next[indent] == '\n' || paragraph->kept)
		return false;
	return paragraph->column ? indent == paragraph->column : indent == 0 && length >= LONG_COLUMNS && *line != ' ';
}

bool wrap_next(const char **text, struct paragraph *paragraph)
{
	const char *begin = *text;
	size_t length = strcspn(begin, "\n");
	const char *end = begin + length;

	if (*begin == '\0')
		return false;
	*paragraph = (struct paragraph){.begin = begin, .column = text_column(begin, length)};
	paragraph->kept =
	    paragraph->column && paragraph->column < CELL_COLUMNS && paragraph->column == strspn(begin, " ");
	for (const char *line = begin; *end && goes_on(line, (size_t)(end - line), end + 1, paragraph);) {
		line = end + 1;
		end = line + strcspn(line, "\n");
	}
	paragraph->length = (size_t)(end - begin);
	*text = end + (*end == '\n');
	return true;
}

void wrap_paragraphs(const char *text)
{
	struct paragraph paragraph;

	while (wrap_next(&text, &paragraph)) {
		if (paragraph.kept) {
			printf("%.*s\n", (int)paragraph.length, paragraph.begin);
			continue;
		}
		printf("%.*s", (int)paragraph.column, paragraph.begin);
		wrap_words(paragraph.begin + paragraph.column, paragraph.length - paragraph.column, paragraph.column,
			   paragraph.column);
		putchar('\n');
	}
}

bool wrap_next_example(const char **text, struct example *example)
{
	const char *begin = *text;
	size_t length = strcspn(begin, "\n");
	const char *comment = memchr(begin, '#', length);

	if (*begin == '\0')
		return false;
	/* A # inside the command itself is no comment. */
	while (comment && comment > begin && comment[-1] != ' ')
		comment = memchr(comment + 1, '#', length - (size_t)(comment + 1 - begin));
	size_t command = comment ? (size_t)(comment - begin) : length;
	while (command && begin[command - 1] == ' ')
		command--;
	*example = (struct example){begin, command, comment, comment ? length - (size_t)(comment - begin) : 0, length};
	*text = begin + length + (begin[length] == '\n');
	return true;
}

void wrap_examples(const char *text)
{
	struct example example;

	while (wrap_next_example(&text, &example))
		if (example.comment && utf8_columns(example.command, example.line_length) > COLUMNS)
			printf("  %.*s\n%.*s\n", (int)example.comment_length, example.comment,
			       (int)example.command_length, example.command);
		else
			printf("%.*s\n", (int)example.line_length, example.command);
}

void wrap_add(const char *text, size_t column, size_t indent, size_t width, struct buffer *out)
{
	bool begins_line = true;

	while (*text) {
		size_t word = strcspn(text, " \n");
		size_t columns = utf8_columns(text, word);
		if (!begins_line && width && column + 1 + columns > width) {
			buffer_printf(out, "\n%*s", (int)indent, "");
			column = indent;
		} else if (!begins_line) {
			buffer_text(out, " ");
			column++;
		}
		buffer_add(out, text, word);
		column += columns;
		begins_line = false;
		text += word + (text[word] != '\0');
	}
	buffer_text(out, "\n");
}

void wrap_lines(const char *text, size_t width, struct buffer *out)
{
	struct buffer line = {0};

	for (const char *end; *text; text = end + (*end != '\0')) {
		const size_t indent = strspn(text, " ");
		end = text + strcspn(text, "\n");
		line.length = 0;
		buffer_add(&line, text + indent, (size_t)(end - text) - indent);
		buffer_printf(out, "%*s", (int)indent, "");
		wrap_add(line.data, indent, indent + 2, width, out);
	}
	buffer_free(&line);
}
