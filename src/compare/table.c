/* SPDX-License-Identifier: MIT
 *
 * The text table, in the layout of lkp-tests' compare: value and spread, change, value and spread, metric. It is not a
 * struct table (term/table.h): headings span the columns of a set, and sets that do not fit go into further blocks. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/escape.h"
#include "compare/forms.h"
#include "compare/metric_text.h"
#include "compare/overview.h"
#include "compare/run_set.h"

enum {
	VALUE_WIDTH = 16,    /* "    123456 ±  12%" */
	CHANGE_WIDTH = 21,   /* "   +12.3% different? " */
	INTERVAL_WIDTH = 22, /* only on a wide terminal */
	NAME_WIDTH = 25,
	NAME_SIZE = 512,
};

/* The first set and the sets of [from, to) next to it: all sets, or one at a time if the terminal is too narrow. */
struct block {
	const struct compare_output *output;
	size_t from, to;
	bool has_intervals;
};

static bool is_in(const struct block *block, size_t set)
{
	return set == 0 || (set >= block->from && set < block->to);
}

static bool fits(const struct compare_output *output, size_t others, unsigned int change_width)
{
	return output->width == 0 || output->width >= VALUE_WIDTH + others * (change_width + VALUE_WIDTH) + NAME_WIDTH;
}

static unsigned int change_width(const struct block *block)
{
	return CHANGE_WIDTH + (block->has_intervals ? INTERVAL_WIDTH : 0);
}

/* Pads with spaces, and truncates a longer text. */
static void put_left(struct buffer *out, const char *text, size_t width)
{
	size_t length = utf8_fitting(text, strlen(text), width);

	buffer_add(out, text, length);
	buffer_printf(out, "%*s", (int)(width - utf8_columns(text, length)), "");
}

static void put_value(struct buffer *out, const struct comparison_sample *sample)
{
	char text[METRIC_TEXT_SIZE];

	buffer_printf(out, "%9s ", metric_value_text(sample->median, text));
	spread_text(sample, text);
	buffer_text(out, text[0] ? "±" : " ");
	buffer_printf(out, "%5s", text);
}

static const char *short_verdict(const struct comparison_cell *cell, char text[METRIC_TEXT_SIZE])
{
	enum comparison_verdict verdict = cell->against.verdict;

	if (verdict == VERDICT_NONE)
		return "";
	snprintf(text, METRIC_TEXT_SIZE, "%s%s",
		 verdict == VERDICT_TOO_FEW ? "too few" : comparison_verdict_text(verdict),
		 comparison_is_doubtful(cell) ? "?" : "");
	return text;
}

static void put_change(const struct block *block, struct buffer *out, const struct comparison_cell *cell)
{
	char text[METRIC_TEXT_SIZE];

	buffer_printf(out, "%9s ", change_text(&cell->against, text));
	if (block->has_intervals)
		buffer_printf(out, "%-*s", INTERVAL_WIDTH, interval_text(&cell->against, text));
	buffer_printf(out, "%-10s ", short_verdict(cell, text));
}

static void end_line(struct buffer *out)
{
	while (out->length && out->data[out->length - 1] == ' ')
		out->length--;
	buffer_text(out, "\n");
}

/* " (of 6/10)" if some runs have no value. */
static void put_runs(const struct block *block, struct buffer *out, const struct comparison_row *row)
{
	const struct comparison_workload *workload = &block->output->rows->workloads[row->workload];
	bool differs = false;

	for (size_t set = 0; set < block->to; set++)
		differs = differs || (is_in(block, set) && row->cells[set].sample.count != workload->runs[set]);
	if (!differs)
		return;
	for (size_t set = 0; set < block->to; set++)
		if (is_in(block, set))
			buffer_printf(out, "%s%zu", set ? "/" : " (of ", row->cells[set].sample.count);
	buffer_text(out, ")");
}

static void put_row(const struct block *block, struct buffer *out, const struct comparison_row *row)
{
	for (size_t set = 0; set < block->to; set++) {
		if (!is_in(block, set))
			continue;
		if (set)
			put_change(block, out, &row->cells[set]);
		put_value(out, &row->cells[set].sample);
	}
	buffer_printf(out, "  %s", metric_table[row->metric].name);
	put_runs(block, out, row);
	buffer_text(out, "\n");
}

/* The label of the last set may use the rest of the line. */
static unsigned int last_room(const struct block *block)
{
	const unsigned int min = VALUE_WIDTH - 2 + 24;
	size_t before = (block->to - block->from) * (VALUE_WIDTH + change_width(block)) + 2;

	if (block->output->width == 0)
		return NAME_SIZE;
	return block->output->width > before + min ? (unsigned int)(block->output->width - before) : min;
}

static void put_heading(const struct block *block, struct buffer *out, const struct comparison_workload *workload)
{
	const struct comparison_rows *rows = block->output->rows;
	char name[NAME_SIZE];

	escape_line(workload->name, strlen(workload->name), name, sizeof(name));
	buffer_printf(out, "%s: ", name);
	buffer_printf(out, "%zu run%s", workload->runs[0], workload->runs[0] == 1 ? "" : "s");
	for (size_t set = block->from; set < block->to; set++)
		buffer_printf(out, "%s%zu", set > block->from ? ", " : " against ", workload->runs[set]);
	buffer_text(out, "\n");
	for (size_t set = 0; set < block->to; set++) {
		unsigned int room = set + 1 < block->to ? VALUE_WIDTH - 2 + change_width(block) : last_room(block);
		if (!is_in(block, set))
			continue;
		escape_line(rows->sets->items[set].label, strlen(rows->sets->items[set].label), name, sizeof(name));
		buffer_text(out, "  ");
		put_left(out, name, utf8_columns(name, strlen(name)) < room ? room : room - 1);
		if (utf8_columns(name, strlen(name)) >= room)
			buffer_text(out, " ");
	}
	end_line(out);
	for (size_t set = 0; set < block->to; set++) {
		if (!is_in(block, set))
			continue;
		if (set)
			buffer_printf(out, "%9s %*s%-10s ", "change", block->has_intervals ? -INTERVAL_WIDTH : 0,
				      block->has_intervals ? "95 % interval" : "", "verdict");
		buffer_text(out, "  median ±spread");
	}
	buffer_text(out, "  metric\n");
}

/* With --changed, only the sets of the block count. */
static bool wants_row(const struct block *block, const struct comparison_row *row)
{
	bool has_changed = !block->output->changed;

	for (size_t set = block->from; set < block->to; set++)
		has_changed = has_changed || row->cells[set].against.verdict >= VERDICT_BETTER;
	return has_changed && compare_wants_row(block->output, row);
}

static void put_gates(const struct compare_output *output, struct buffer *out)
{
	static const char *const words[] = {"holds", "FIRES", "undecided"};
	const struct comparison_rows *rows = output->rows;
	char reason[256], name[NAME_SIZE];

	for (size_t i = 0; i < output->gates->case_count; i++) {
		const struct gate_case *gate_case = &output->gates->cases[i];
		gate_case_reason(gate_case, reason, sizeof(reason));
		const char *workload = rows->workloads[gate_case->row->workload].name;
		escape_line(workload, strlen(workload), name, sizeof(name));
		buffer_printf(out, "%-9s %s, %s", words[gate_case->result], gate_case->gate->text, name);
		if (rows->sets->count > 2) {
			escape_line(rows->sets->items[gate_case->set].label,
				    strlen(rows->sets->items[gate_case->set].label), name, sizeof(name));
			buffer_printf(out, ", %s", name);
		}
		buffer_printf(out, ": %s\n", reason);
	}
	if (output->gates->case_count)
		buffer_text(out, "\n");
}

static void put_block(const struct block *block, const struct comparison_workload *workload, struct buffer *out)
{
	bool has_begun = false;

	for (size_t i = 0; i < workload->row_count; i++) {
		const struct comparison_row *row = &block->output->rows->rows[workload->first_row + i];
		if (!wants_row(block, row))
			continue;
		if (!has_begun)
			put_heading(block, out, workload);
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
	/* Two sets are always side by side, even on a narrow terminal. */
	size_t step = fits(output, count - 1, CHANGE_WIDTH) ? count - 1 : 1;

	for (size_t from = 1; from < count; from += step) {
		const struct block block = {.output = output,
					    .from = from,
					    .to = from + step,
					    .has_intervals = fits(output, step, CHANGE_WIDTH + INTERVAL_WIDTH)};
		put_block(&block, workload, out);
	}
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

void compare_write_text(const struct compare_output *output, struct buffer *out)
{
	const struct comparison_rows *rows = output->rows;
	struct buffer summary = {0};

	if (output->notices->length) {
		put_lines(out, output->notices, output->width);
		buffer_text(out, "\n");
	}
	if (output->overview)
		compare_overview_write(output, out);
	for (size_t at = 0; at < rows->workload_count && !output->overview; at++)
		put_workload(output, &rows->workloads[at], out);
	put_gates(output, out);
	for (size_t set = 1; set < rows->sets->count; set++)
		compare_add_summary(output, set, &summary);
	put_lines(out, &summary, output->width);
	out->failed = out->failed || summary.failed;
	buffer_free(&summary);
}
