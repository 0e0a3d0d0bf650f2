/* SPDX-License-Identifier: MIT
 *
 * A table for people: as text that fits into a terminal, and as Markdown. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "base/memory.h"
#include "base/shorten.h"
#include "base/wrap.h"
#include "print/table.h"

#define NAME_WIDTH_MIN 16u
#define GAP_MAX        2u

/* A column of width 0 is left out. */
struct layout {
	unsigned int widths[TABLE_COLUMNS_MAX];
	struct shortening names[TABLE_COLUMNS_MAX]; /* shortened names of a column, at its min width */
	unsigned int gap;
	bool is_brief; /* leaves out the remarks of TABLE_VERDICT */
};

#define REMARK ", "

/* --- Headings --- */

/* A line of a heading, counted from the last one; returns its length, or 0. */
static size_t heading_line(const char *heading, unsigned int from_last, const char **line)
{
	const char *end = heading + strlen(heading);

	for (;; from_last--) {
		const char *start = end;
		while (start > heading && start[-1] != '\n')
			start--;
		*line = start;
		if (from_last == 0)
			return (size_t)(end - start);
		if (start == heading)
			return 0;
		end = start - 1;
	}
}

static unsigned int count_lines(const char *heading)
{
	unsigned int lines = 1;

	for (; *heading; heading++)
		lines += *heading == '\n';
	return lines;
}

static unsigned int heading_width(const struct table *table, unsigned int column)
{
	const char *heading = table->columns[column].heading;
	unsigned int max = 1;

	for (unsigned int line = 0; line < count_lines(heading); line++) {
		const char *part;
		size_t length = heading_line(heading, line, &part);
		unsigned int width = (unsigned int)utf8_columns(part, length);
		max = width > max ? width : max;
	}
	return max;
}

/* Adds the heading on one line. */
static void add_heading(const struct table_column *column, struct buffer *out)
{
	for (const char *at = column->heading; *at; at++)
		if (*at != '\n' || at > column->heading)
			buffer_add(out, *at == '\n' ? " " : at, 1);
}

/* --- Names --- */

static void find_width_min(const struct table *table, unsigned int column, struct layout *layout)
{
	const size_t rows = table->cell_count / table->column_count;
	const unsigned int heading = heading_width(table, column);
	char(*names)[SHORTEN_SIZE] = xcalloc(rows + 1, sizeof(*names));

	for (size_t row = 0; row < rows; row++)
		table_cell_text(table, row * table->column_count + column, names[row], SHORTEN_SIZE);
	layout->names[column] =
	    shorten_distinct(names, rows, heading > NAME_WIDTH_MIN ? heading : NAME_WIDTH_MIN, layout->widths[column]);
	free(names);
}

/* --- Layout --- */

static bool is_left_aligned(const struct table_column *column)
{
	return column->kind == TABLE_TEXT || column->kind == TABLE_WORD || column->kind == TABLE_VERDICT;
}

static unsigned int cell_text(const struct table *table, const struct layout *layout, size_t at, char *text,
			      size_t size)
{
	unsigned int width = table_cell_text(table, at, text, size);
	char *remark = layout->is_brief && table->columns[at % table->column_count].kind == TABLE_VERDICT
			   ? strstr(text, REMARK)
			   : NULL;

	if (!remark)
		return width;
	*remark = '\0';
	return (unsigned int)utf8_columns(text, strlen(text));
}

static void measure_column(const struct table *table, struct layout *layout, unsigned int column)
{
	unsigned int *max = &layout->widths[column];
	char text[TABLE_CELL_SIZE];

	*max = heading_width(table, column);
	for (size_t at = column; at < table->cell_count; at += table->column_count) {
		unsigned int width = cell_text(table, layout, at, text, sizeof(text));
		*max = width > *max ? width : *max;
	}
}

static void measure_columns(const struct table *table, struct layout *layout)
{
	*layout = (struct layout){.gap = GAP_MAX};
	for (unsigned int column = 0; column < table->column_count; column++)
		if (table->columns[column].use != TABLE_DATA)
			measure_column(table, layout, column);
}

static void leave_out_remarks(const struct table *table, struct layout *layout)
{
	layout->is_brief = true;
	for (unsigned int column = 0; column < table->column_count; column++)
		if (table->columns[column].kind == TABLE_VERDICT && layout->widths[column])
			measure_column(table, layout, column);
}

static unsigned int total_width(const struct table *table, const unsigned int *widths, unsigned int gap)
{
	unsigned int total = 0;

	for (unsigned int column = 0; column < table->column_count; column++)
		if (widths[column])
			total += widths[column] + (total ? gap : 0);
	return total;
}

static bool fits(const struct table *table, const struct layout *layout, unsigned int width)
{
	return total_width(table, layout->widths, layout->gap) <= width;
}

/* True for columns that are never left out: marks for people. */
static bool is_kept(const struct table_column *column)
{
	return column->use == TABLE_PEOPLE && column->kind == TABLE_WORD;
}

/* Leaves out the last column of this use, except the first column and marks; false if there is none. */
static bool leave_out_column(const struct table *table, enum table_use use, struct layout *layout)
{
	for (unsigned int column = table->column_count; column-- > 1;)
		if (table->columns[column].use == use && !is_kept(&table->columns[column]) && layout->widths[column]) {
			layout->widths[column] = 0;
			return true;
		}
	return false;
}

/* The min width of all shown columns together. */
static unsigned int narrowest(const struct table *table, const struct layout *layout)
{
	unsigned int widths[TABLE_COLUMNS_MAX];

	for (unsigned int column = 0; column < table->column_count; column++)
		widths[column] = layout->widths[column] && layout->names[column].width ? layout->names[column].width
										       : layout->widths[column];
	return total_width(table, widths, 1);
}

static void find_widths_min(const struct table *table, struct layout *layout)
{
	for (unsigned int column = 0; column < table->column_count; column++)
		if (table->columns[column].kind == TABLE_TEXT && layout->widths[column])
			find_width_min(table, column, layout);
}

static void shrink_names(const struct table *table, unsigned int width, struct layout *layout)
{
	for (unsigned int column = table->column_count; column-- > 0 && !fits(table, layout, width);) {
		unsigned int over = total_width(table, layout->widths, layout->gap) - width;
		unsigned int min = layout->names[column].width;
		if (!layout->widths[column] || !min)
			continue;
		unsigned int spare = layout->widths[column] - min;
		layout->widths[column] -= spare < over ? spare : over;
	}
}

static void fit_columns(const struct table *table, unsigned int width, struct layout *layout)
{
	while (!fits(table, layout, width) && leave_out_column(table, TABLE_WIDE, layout))
		;
	if (fits(table, layout, width))
		return;
	layout->gap = 1;
	if (fits(table, layout, width))
		return;
	find_widths_min(table, layout);
	if (narrowest(table, layout) > width)
		leave_out_remarks(table, layout);
	while (narrowest(table, layout) > width &&
	       (leave_out_column(table, TABLE_PEOPLE, layout) || leave_out_column(table, TABLE_ALWAYS, layout)))
		;
	shrink_names(table, width, layout);
}

bool table_fits(const struct table *table, unsigned int width)
{
	struct layout layout;

	measure_columns(table, &layout);
	while (leave_out_column(table, TABLE_WIDE, &layout))
		;
	return width == 0 || total_width(table, layout.widths, 1) <= width;
}

/* --- Text --- */

static void add_cell(struct buffer *out, const struct table_column *column, const char *text, size_t length,
		     unsigned int width, unsigned int gap)
{
	unsigned int shown = (unsigned int)utf8_columns(text, length);
	unsigned int padding = shown < width ? width - shown : 0;

	buffer_printf(out, "%*s", (int)(gap + (is_left_aligned(column) ? 0 : padding)), "");
	buffer_add(out, text, length);
	if (is_left_aligned(column))
		buffer_printf(out, "%*s", (int)padding, "");
}

static void end_line(struct buffer *out)
{
	while (out->length && out->data[out->length - 1] == ' ')
		out->length--;
	buffer_text(out, "\n");
}

/* There is no gap before the first shown column. */
static unsigned int gap_before(const struct layout *layout, unsigned int column)
{
	while (column-- > 0)
		if (layout->widths[column])
			return layout->gap;
	return 0;
}

static void write_headings(const struct table *table, const struct layout *layout, struct buffer *out)
{
	unsigned int lines = 1;

	for (unsigned int column = 0; column < table->column_count; column++) {
		unsigned int own = layout->widths[column] ? count_lines(table->columns[column].heading) : 0;
		lines = own > lines ? own : lines;
	}
	for (unsigned int line = lines; line-- > 0;) {
		for (unsigned int column = 0; column < table->column_count; column++) {
			const char *part;
			size_t length = heading_line(table->columns[column].heading, line, &part);
			if (layout->widths[column])
				add_cell(out, &table->columns[column], part, length, layout->widths[column],
					 gap_before(layout, column));
		}
		end_line(out);
	}
}

static void write_cell(const struct table *table, const struct layout *layout, size_t at, struct buffer *out)
{
	unsigned int column = (unsigned int)(at % table->column_count), width = layout->widths[column];
	char text[SHORTEN_SIZE], shown[SHORTEN_SIZE];

	if (cell_text(table, layout, at, text, sizeof(text)) > width && layout->names[column].width) {
		const struct shortening *min = &layout->names[column];
		shorten(text, (struct shortening){width, min->head + (width - min->width) / 2}, shown);
		memcpy(text, shown, sizeof(text));
	}
	add_cell(out, &table->columns[column], text, strlen(text), width, gap_before(layout, column));
}

static bool has_remarks(const struct table *table, unsigned int column)
{
	char text[TABLE_CELL_SIZE];

	for (size_t at = column; at < table->cell_count; at += table->column_count)
		if (table->columns[column].kind == TABLE_VERDICT && table_cell_text(table, at, text, sizeof(text)) &&
		    strstr(text, REMARK))
			return true;
	return false;
}

/* Names the columns for which the width has no room. */
static void write_left_out(const struct table *table, const struct layout *layout, unsigned int width,
			   struct buffer *out)
{
	struct buffer line = {0};

	for (unsigned int column = 0; column < table->column_count; column++) {
		const bool is_shown = layout->widths[column] || table->columns[column].use == TABLE_DATA;
		if (is_shown && !(layout->is_brief && has_remarks(table, column)))
			continue;
		buffer_text(&line, line.length ? ", " : "Left out at this width: ");
		if (is_shown)
			buffer_text(&line, "runs to decide");
		else
			add_heading(&table->columns[column], &line);
	}
	if (line.length)
		wrap_add(line.data, 0, 2, width, out);
	buffer_free(&line);
}

void table_write_text(const struct table *table, unsigned int width, struct buffer *out)
{
	struct layout layout;

	measure_columns(table, &layout);
	if (width)
		fit_columns(table, width, &layout);
	write_headings(table, &layout, out);
	for (size_t at = 0; at < table->cell_count; at++) {
		if (layout.widths[at % table->column_count])
			write_cell(table, &layout, at, out);
		if (at % table->column_count == table->column_count - 1)
			end_line(out);
	}
	write_left_out(table, &layout, width, out);
}

/* --- Markdown --- */

static bool is_word(char byte)
{
	return (byte >= '0' && byte <= '9') || (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z');
}

/* Characters with a special meaning in Markdown or HTML become character references. */
void table_add_markdown_text(const char *text, size_t length, struct buffer *out)
{
	struct buffer line = {0};

	escape_line_add(text, length, &line);
	for (size_t i = 0; i < line.length; i++) {
		const char *at = line.data + i;
		bool is_inside = *at == '_' && i && is_word(at[-1]) && i + 1 < line.length && is_word(at[1]);
		if (strchr("&<>|*_`[]\\#~!@$", *at) && !is_inside)
			buffer_printf(out, "&#%d;", *at);
		else
			buffer_add(out, at, 1);
	}
	buffer_free(&line);
}

/* Adds a cell of any length. */
static void add_whole_cell(const struct table *table, size_t at, struct buffer *out)
{
	const struct table_cell *cell = &table->cells[at];
	const enum table_kind kind = table->columns[at % table->column_count].kind;
	char text[TABLE_CELL_SIZE];

	if (!cell->none && (kind == TABLE_TEXT || kind == TABLE_WORD || kind == TABLE_VERDICT || kind == TABLE_VALUE)) {
		escape_line_add(table->texts.data + cell->value, cell->length, out);
	} else {
		table_cell_text(table, at, text, sizeof(text));
		buffer_text(out, text);
	}
}

static void add_markdown_cell(const struct table *table, size_t at, struct buffer *out)
{
	const char *bold = table->cells[at].is_strong ? "**" : "";
	struct buffer text = {0};

	add_whole_cell(table, at, &text);
	while (text.length && text.data[text.length - 1] == ' ')
		text.length--;
	buffer_printf(out, " %s", bold);
	if (table->columns[at % table->column_count].kind == TABLE_TEXT)
		table_add_markdown_text(text.data, text.length, out);
	else
		buffer_add(out, text.data, text.length);
	buffer_printf(out, "%s |", bold);
	buffer_free(&text);
}

void table_write_markdown(const struct table *table, struct buffer *out)
{
	struct buffer heading = {0};

	for (unsigned int column = 0; column < table->column_count; column++) {
		buffer_clear(&heading);
		add_heading(&table->columns[column], &heading);
		buffer_text(out, column ? " " : "| ");
		table_add_markdown_text(heading.data ? heading.data : "", heading.length, out);
		buffer_text(out, " |");
	}
	buffer_text(out, "\n|");
	for (unsigned int column = 0; column < table->column_count; column++)
		buffer_text(out, is_left_aligned(&table->columns[column]) ? ":--|" : "--:|");
	for (size_t at = 0; at < table->cell_count; at++) {
		buffer_text(out, at % table->column_count == 0 ? "\n|" : "");
		add_markdown_cell(table, at, out);
	}
	buffer_text(out, "\n");
	buffer_free(&heading);
}
