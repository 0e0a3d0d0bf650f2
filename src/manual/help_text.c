/* SPDX-License-Identifier: MIT */
#include "manual/help_text.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/escape.h"

#define COLUMNS      80u
#define LONG_COLUMNS 70u /* a shorter line ends a paragraph */
#define CELL_COLUMNS 8u  /* if the text of a row begins on the second line, it has at least so many leading spaces */

size_t help_words(const char *text, size_t length, size_t column, size_t indent)
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

/* A paragraph, whose lines are wrapped again, or a row of a list: its text begins at column, with the lines aligned
 * under it. The bytes before column are a row's first column, or the spaces before a line that is kept as it is. An
 * empty line is a paragraph of length 0. */
struct paragraph {
	const char *begin;
	size_t column; /* 0 for a paragraph */
	size_t length; /* from begin; may hold newlines */
	bool kept;     /* one line, printed as it is */
};

/* The next cell of a line: its column after two spaces; 0 if there is none. */
static size_t next_cell(const char *line, size_t length, size_t from)
{
	for (size_t at = from; at + 2 < length; at++)
		if (line[at] == ' ' && line[at + 1] == ' ')
			return at + strspn(line + at, " ");
	return 0;
}

/* A line that is printed as it is: an indented one without cells, or a row of a table with more than two. */
static bool is_kept(const char *line, size_t length, size_t indent, size_t second)
{
	return second ? next_cell(line, length, second) != 0 : indent && indent < CELL_COLUMNS;
}

static bool goes_on(const char *line, size_t length, const char *next, const struct paragraph *paragraph)
{
	size_t indent = strspn(next, " ");

	if (*next == '\0' || next[indent] == '\n' || paragraph->kept)
		return false;
	return paragraph->column ? indent == paragraph->column : indent == 0 && length >= LONG_COLUMNS && *line != ' ';
}

/* The next paragraph of *text, which is moved after it; false at the end. */
static bool next_paragraph(const char **text, struct paragraph *paragraph)
{
	const char *begin = *text;
	size_t length = strcspn(begin, "\n");
	const char *end = begin + length;

	if (*begin == '\0')
		return false;
	const size_t indent = strspn(begin, " "), second = next_cell(begin, length, indent);
	*paragraph = (struct paragraph){
	    .begin = begin, .column = second ? second : indent, .kept = is_kept(begin, length, indent, second)};
	for (const char *line = begin; *end && goes_on(line, (size_t)(end - line), end + 1, paragraph);) {
		line = end + 1;
		end = line + strcspn(line, "\n");
	}
	paragraph->length = (size_t)(end - begin);
	*text = end + (*end == '\n');
	return true;
}

void help_paragraphs(const char *text)
{
	struct paragraph paragraph;

	while (next_paragraph(&text, &paragraph)) {
		if (paragraph.kept) {
			printf("%.*s\n", (int)paragraph.length, paragraph.begin);
			continue;
		}
		printf("%.*s", (int)paragraph.column, paragraph.begin);
		help_words(paragraph.begin + paragraph.column, paragraph.length - paragraph.column, paragraph.column,
			   paragraph.column);
		putchar('\n');
	}
}

/* Prints one line, with a comment after a # if it has one. */
static void print_example(const char *line, size_t length)
{
	const char *comment = memchr(line, '#', length);

	/* A # inside the command itself is no comment. */
	while (comment && comment > line && comment[-1] != ' ')
		comment = memchr(comment + 1, '#', length - (size_t)(comment + 1 - line));
	if (comment && utf8_columns(line, length) > COLUMNS) {
		size_t command = (size_t)(comment - line);
		while (command && line[command - 1] == ' ')
			command--;
		printf("  %.*s\n%.*s\n", (int)(length - (size_t)(comment - line)), comment, (int)command, line);
	} else {
		printf("%.*s\n", (int)length, line);
	}
}

void help_examples(const char *text)
{
	while (*text) {
		size_t length = strcspn(text, "\n");
		print_example(text, length);
		text += length + (text[length] == '\n');
	}
}
