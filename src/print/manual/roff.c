/* SPDX-License-Identifier: MIT */
#include "print/manual/roff.h"

#include <string.h>

#include "base/wrap.h"

#define LINE_BYTES 78u

/* Characters that roff would take for a command or print as a typographic one. */
static void add_byte(char byte, struct buffer *out)
{
	static const struct {
		char byte;
		const char *escape;
	} escapes[] = {{'\\', "\\e"}, {'-', "\\-"}, {'\'', "\\(aq"}, {'`', "\\(ga"}, {'^', "\\(ha"}, {'~', "\\(ti"}};

	for (size_t i = 0; i < sizeof(escapes) / sizeof(*escapes); i++)
		if (escapes[i].byte == byte) {
			buffer_text(out, escapes[i].escape);
			return;
		}
	buffer_add(out, &byte, 1);
}

void roff_add_inline(enum roff_font font, const char *text, size_t length, struct buffer *out)
{
	buffer_printf(out, "\\f%c", font);
	for (size_t i = 0; i < length; i++)
		add_byte(text[i], out);
	buffer_text(out, "\\fR");
}

void roff_add_words(const char *text, size_t length, struct buffer *out)
{
	const char *end = text + length;
	struct buffer word = {0};
	size_t column = 0;

	while (text < end) {
		size_t bytes = strcspn(text, " \n");
		if (bytes > (size_t)(end - text))
			bytes = (size_t)(end - text);
		buffer_clear(&word);
		for (size_t i = 0; i < bytes; i++)
			add_byte(text[i], &word);
		if (word.length && column) {
			bool fits = column + 1 + word.length <= LINE_BYTES;
			buffer_text(out, fits ? " " : "\n");
			column = fits ? column + 1 : 0;
		}
		if (word.length && column == 0 && *text == '.')
			buffer_text(out, "\\&");
		buffer_add(out, word.data, word.length);
		column += word.length;
		text += bytes + (text + bytes < end);
	}
	buffer_text(out, "\n");
	buffer_free(&word);
}

void roff_add_macro(const char *macro, const char *text, size_t length, struct buffer *out)
{
	buffer_printf(out, ".%s \"", macro);
	for (size_t i = 0; i < length; i++)
		if (text[i] == '"')
			buffer_text(out, "\\(dq");
		else
			add_byte(text[i], out);
	buffer_text(out, "\"\n");
}

void roff_add_line(const char *text, size_t length, struct buffer *out)
{
	size_t begin = out->length;

	if (length && *text == '.')
		buffer_text(out, "\\&");
	for (size_t i = 0; i < length; i++) {
		/* A backslash at the end of a line continues it. */
		if (out->length - begin >= LINE_BYTES - 4) {
			buffer_text(out, "\\\n");
			begin = out->length;
		}
		add_byte(text[i], out);
	}
	buffer_text(out, "\n");
}

/* Of lines that are not filled, indented. */
static void end_lines(struct buffer *out)
{
	buffer_text(out, ".EE\n.RE\n");
}

static bool is_heading(const struct paragraph *paragraph)
{
	bool capitals = false;

	if (paragraph->column)
		return false;
	for (size_t i = 0; i < paragraph->length; i++) {
		if (paragraph->begin[i] >= 'a' && paragraph->begin[i] <= 'z')
			return false;
		capitals |= paragraph->begin[i] >= 'A' && paragraph->begin[i] <= 'Z';
	}
	return capitals;
}

/* The kept line is the first column of a row whose text is the next line. */
static bool is_first_column(const struct paragraph *paragraph, const char *rest)
{
	struct paragraph next;

	return paragraph->kept && wrap_next(&rest, &next) && next.column && !next.kept &&
	       next.column == strspn(next.begin, " ");
}

enum place { PLACE_START, PLACE_PARAGRAPH, PLACE_ROW, PLACE_LINES, PLACE_GAP };

static void add_plain(const struct paragraph *paragraph, enum place *place, struct buffer *out)
{
	if (is_heading(paragraph)) {
		roff_add_macro("SH", paragraph->begin, paragraph->length, out);
		*place = PLACE_START;
		return;
	}
	if (*place != PLACE_START)
		buffer_text(out, *place == PLACE_PARAGRAPH ? ".br\n" : ".PP\n");
	roff_add_words(paragraph->begin, paragraph->length, out);
	*place = PLACE_PARAGRAPH;
}

static void add_row(const struct paragraph *paragraph, enum place *place, struct buffer *out)
{
	size_t indent = strspn(paragraph->begin, " ");
	size_t end = paragraph->column;

	while (end > indent && paragraph->begin[end - 1] == ' ')
		end--;
	if (end > indent) {
		buffer_text(out, ".TP\n");
		roff_add_words(paragraph->begin + indent, end - indent, out);
	}
	roff_add_words(paragraph->begin + paragraph->column, paragraph->length - paragraph->column, out);
	*place = PLACE_ROW;
}

static void add_kept(const struct paragraph *paragraph, bool is_term, enum place *place, struct buffer *out)
{
	if (is_term) {
		buffer_text(out, ".TP\n");
		roff_add_words(paragraph->begin, paragraph->length, out);
		*place = PLACE_ROW;
		return;
	}
	if (*place != PLACE_LINES) {
		buffer_text(out, *place == PLACE_START ? "" : ".PP\n");
		buffer_text(out, ".RS 4\n.EX\n");
	}
	roff_add_line(paragraph->begin + 2, paragraph->length - 2, out);
	*place = PLACE_LINES;
}

void roff_add_text(const char *text, struct buffer *out)
{
	enum place place = PLACE_START;
	struct paragraph paragraph;

	while (wrap_next(&text, &paragraph)) {
		bool is_term = is_first_column(&paragraph, text);
		if (place == PLACE_LINES && (!paragraph.kept || is_term)) {
			end_lines(out);
			place = PLACE_GAP;
		}
		if (paragraph.length == 0)
			place = place == PLACE_START ? PLACE_START : PLACE_GAP;
		else if (paragraph.kept)
			add_kept(&paragraph, is_term, &place, out);
		else if (paragraph.column)
			add_row(&paragraph, &place, out);
		else
			add_plain(&paragraph, &place, out);
	}
	if (place == PLACE_LINES)
		end_lines(out);
}
