/* SPDX-License-Identifier: MIT
 *
 * The text table: metric, values of the first set, then for each other set its values, the change, its interval and the
 * verdict. It is not a struct table (print/table.h): names that do not fit have a line of their own, and sets that do
 * not fit have further blocks. */
#include <stdio.h>
#include <string.h>

#include "base/escape.h"
#include "compare/metric_text.h"
#include "compare/remarks.h"
#include "compare/run_set.h"
#include "print/forms.h"
#include "print/overview.h"

enum {
	NAME_WIDTH_MIN = 20,
	PARTS = 4, /* of a set after the first: value, change, interval, verdict */
	COLUMNS_MAX = 1 + PARTS * (COMPARISON_SETS_MAX - 1),
	NAME_SIZE = 512,
};

/* The table of one workload: the first set and the sets of [from, to), which are all, or one at a time on a narrow
 * terminal. */
struct block {
	const struct compare_output *output;
	const struct comparison_workload *workload;
	size_t from, to;
	size_t columns; /* after the name: a value, then PARTS for each set */
	size_t widths[COLUMNS_MAX];
	size_t name_width;
	size_t gap; /* before a column */
};

static size_t columns_of(const char *text)
{
	return utf8_columns(text, strlen(text));
}

static bool is_left_aligned(size_t column)
{
	return column && (column - 1) % PARTS >= 2;
}

static size_t set_of(const struct block *block, size_t column)
{
	return column ? block->from + (column - 1) / PARTS : 0;
}

static void format_heading(const struct block *block, size_t column, char text[METRIC_TEXT_SIZE])
{
	static const char *const headings[PARTS] = {"", "change", "95 % interval", "verdict"};

	if (column == 0 || (column - 1) % PARTS == 0)
		snprintf(text, METRIC_TEXT_SIZE, "%c", 'A' + (int)set_of(block, column));
	else
		snprintf(text, METRIC_TEXT_SIZE, "%s", headings[(column - 1) % PARTS]);
}

static void format_cell(const struct block *block, const struct comparison_row *row, size_t column,
			char text[METRIC_TEXT_SIZE])
{
	const struct comparison_cell *cell = &row->cells[set_of(block, column)];
	const struct metric_scale scale = metric_scale_of(row);

	switch (column ? (column - 1) % PARTS : 0) {
	case 0:
		metric_value_text(cell->sample.median, &scale, text);
		break;
	case 1:
		change_text(&cell->against, &scale, text);
		break;
	case 2:
		interval_text(&cell->against, &scale, text);
		break;
	default:
		verdict_text(cell, &scale, text);
	}
}

/* With --changed, only the sets of the block count. */
static bool wants_row(const struct block *block, const struct comparison_row *row)
{
	bool has_changed = !block->output->changed;

	for (size_t set = block->from; set < block->to; set++)
		has_changed = has_changed || comparison_differs(&row->cells[set].against);
	return has_changed && compare_wants_row(block->output, row);
}

static const struct comparison_row *next_row(const struct block *block, size_t *at)
{
	while (*at < block->workload->row_count) {
		const struct comparison_row *row = &block->output->rows->rows[block->workload->first_row + (*at)++];
		if (wants_row(block, row))
			return row;
	}
	return NULL;
}

/* others: width of the columns after the name. */
static bool fit(struct block *block, size_t others)
{
	size_t width = block->output->width;

	block->gap = width == 0 || block->name_width + others + 2 * block->columns <= width ? 2 : 1;
	others += block->gap * block->columns;
	if (width == 0 || block->name_width + others <= width)
		return true;
	bool fits = NAME_WIDTH_MIN + others <= width;
	block->name_width = fits ? width - others : NAME_WIDTH_MIN;
	return fits;
}

/* Measures all columns; false if the block is wider than the terminal. A block without rows fits. */
static bool measure(struct block *block)
{
	char text[METRIC_TEXT_SIZE];
	const struct comparison_row *row;
	size_t others = 0;

	block->columns = 1 + PARTS * (block->to - block->from);
	block->name_width = strlen("metric");
	for (size_t column = 0; column < block->columns; column++) {
		format_heading(block, column, text);
		block->widths[column] = columns_of(text);
		for (size_t at = 0; (row = next_row(block, &at));) {
			size_t name = strlen(row->metric->name);
			format_cell(block, row, column, text);
			size_t width = columns_of(text);
			block->widths[column] = width > block->widths[column] ? width : block->widths[column];
			block->name_width = name > block->name_width ? name : block->name_width;
		}
		others += block->widths[column];
	}
	return fit(block, others);
}

static void put_cell(const struct block *block, struct buffer *out, size_t column, const char *text)
{
	int padding = (int)(block->widths[column] - columns_of(text)), gap = (int)block->gap;

	if (is_left_aligned(column))
		buffer_printf(out, "%*s%s%*s", gap, "", text, padding, "");
	else
		buffer_printf(out, "%*s%s", gap + padding, "", text);
}

static void end_line(struct buffer *out)
{
	while (out->length && out->data[out->length - 1] == ' ')
		out->length--;
	buffer_text(out, "\n");
}

/* If some runs have no value. */
static void put_runs(const struct block *block, struct buffer *out, const struct comparison_row *row)
{
	bool differs = false;

	for (size_t set = 0; set < block->to; set = set ? set + 1 : block->from)
		differs = differs || row->cells[set].sample.count != block->workload->runs[set];
	if (!differs)
		return;
	for (size_t set = 0; set < block->to; set = set ? set + 1 : block->from)
		buffer_printf(out, "%s%zu", set ? ", " : "    (runs with a value: ", row->cells[set].sample.count);
	buffer_text(out, ")\n");
}

static void put_row(const struct block *block, struct buffer *out, const struct comparison_row *row)
{
	const char *name = row->metric->name;
	char text[METRIC_TEXT_SIZE];

	if (strlen(name) > block->name_width)
		buffer_printf(out, "%s\n%*s", name, (int)block->name_width, "");
	else
		buffer_printf(out, "%-*s", (int)block->name_width, name);
	for (size_t column = 0; column < block->columns; column++) {
		format_cell(block, row, column, text);
		put_cell(block, out, column, text);
	}
	end_line(out);
	put_runs(block, out, row);
}

static void put_gates(const struct compare_output *output, struct buffer *out)
{
	const struct comparison_rows *rows = output->rows;
	char reason[256], name[NAME_SIZE];

	for (size_t i = 0; i < output->gates->case_count; i++) {
		const struct gate_case *gate_case = &output->gates->cases[i];
		gate_case_reason(gate_case, reason, sizeof(reason));
		const char *workload = rows->workloads[gate_case->row->workload].name;
		escape_line(workload, strlen(workload), name, sizeof(name));
		buffer_printf(out, "%s %s, %s", gate_result_text(gate_case->result), gate_case->gate->text, name);
		if (rows->sets->count > 2) {
			escape_line(rows->sets->items[gate_case->set].label,
				    strlen(rows->sets->items[gate_case->set].label), name, sizeof(name));
			buffer_printf(out, ", %s", name);
		}
		buffer_printf(out, ": %s\n", reason);
		if (gate_case->repeat) {
			buffer_text(out, "  repeat: ");
			compare_add_name(out, gate_case->repeat);
			buffer_text(out, "\n");
		}
	}
	if (output->gates->case_count)
		buffer_text(out, "\n");
}

/* A line of words, wrapped at the width; continuation lines are indented by four. */
static void put_line(struct buffer *out, const char *line, size_t length, unsigned int width)
{
	size_t start = strspn(line, " ");
	unsigned int column = (unsigned int)start;

	buffer_printf(out, "%*s", (int)start, "");
	for (size_t at = start; at < length;) {
		size_t word = strcspn(line + at, " \n");
		unsigned int columns = (unsigned int)utf8_columns(line + at, word);
		if (width && at > start && column + 1 + columns > width) {
			column = (unsigned int)(start < 4 ? start + 4 : start);
			buffer_printf(out, "\n%*s", (int)column, "");
		} else if (at > start) {
			buffer_text(out, " ");
			column++;
		}
		buffer_add(out, line + at, word);
		column += columns;
		at += word + 1;
	}
	buffer_text(out, "\n");
}

static void put_lines(struct buffer *out, const struct buffer *lines, unsigned int width)
{
	const char *at = lines->data, *line;
	size_t length;

	while (compare_next_line(&at, &line, &length))
		put_line(out, line, length, width);
}

static void put_remarks(struct buffer *out, const struct remarks *remarks, unsigned int width)
{
	struct buffer line = {0};

	for (size_t i = 0; i < remarks->line_count; i++) {
		buffer_clear(&line);
		buffer_printf(&line, "%*s%s", (int)remarks->lines[i].indent, "", remarks->lines[i].text);
		put_line(out, line.data, line.length, width);
	}
	if (remarks->line_count)
		buffer_text(out, "\n");
	buffer_free(&line);
}

static void put_heading(const struct block *block, struct buffer *out)
{
	const struct comparison_rows *rows = block->output->rows;
	struct buffer labels = {0};
	char text[METRIC_TEXT_SIZE];

	compare_add_name(out, block->workload->name);
	buffer_printf(out, ": %zu run%s", block->workload->runs[0], block->workload->runs[0] == 1 ? "" : "s");
	for (size_t set = block->from; set < block->to; set++)
		buffer_printf(out, "%s%zu", set > block->from ? ", " : " against ", block->workload->runs[set]);
	buffer_text(out, "\n");
	for (size_t set = 0; set < block->to; set = set ? set + 1 : block->from) {
		buffer_printf(&labels, "%s%c ", set ? ", " : "", 'A' + (int)set);
		compare_add_name(&labels, rows->sets->items[set].label);
	}
	put_line(out, labels.data ? labels.data : "", labels.length, block->output->width);
	buffer_free(&labels);
	buffer_printf(out, "%-*s", (int)block->name_width, "metric");
	for (size_t column = 0; column < block->columns; column++) {
		format_heading(block, column, text);
		put_cell(block, out, column, text);
	}
	end_line(out);
}

static void put_block(const struct block *block, struct buffer *out)
{
	const struct comparison_row *row;
	size_t at = 0;

	bool has_begun = false;

	while ((row = next_row(block, &at))) {
		if (!has_begun)
			put_heading(block, out);
		has_begun = true;
		put_row(block, out, row);
	}
	if (has_begun)
		buffer_text(out, "\n");
}

static void put_workload(const struct compare_output *output, const struct comparison_workload *workload,
			 struct buffer *out)
{
	size_t count = output->rows->sets->count;
	struct block block = {.output = output, .workload = workload, .from = 1, .to = count};

	if (measure(&block)) {
		put_block(&block, out);
		return;
	}
	for (size_t set = 1; set < count; set++) {
		block.from = set;
		block.to = set + 1;
		measure(&block);
		put_block(&block, out);
	}
}

void compare_write_text(const struct compare_output *output, struct buffer *out)
{
	const struct comparison_rows *rows = output->rows;
	struct buffer summary = {0};

	put_remarks(out, output->remarks, output->width);
	if (output->overview)
		compare_overview_write(output, out);
	for (size_t at = 0; at < rows->workload_count && !output->overview; at++)
		put_workload(output, &rows->workloads[at], out);
	put_gates(output, out);
	compare_add_summaries(output, &summary);
	put_lines(out, &summary, output->width);
	buffer_free(&summary);
}
