/* SPDX-License-Identifier: MIT */
#include "print/overview.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compare/metric_text.h"
#include "compare/run_set.h"
#include "print/table.h"

enum {
	NARROW = 4, /* columns that fit a terminal of 80 */
	CHANGE_WIDTH = 8,
	HEADING_SIZE = 64,
};

static int compare_columns(const void *left, const void *right)
{
	const struct metric *const *a = left, *const *b = right;

	return (int)(*a)->overview - (int)(*b)->overview;
}

struct compare_overview compare_overview_make(const struct compare_output *output)
{
	const struct option_list *chosen = &output->choice->metrics;
	struct compare_overview overview = {.output = output};

	for (const struct metric *metric = metric_table; metric->name; metric++) {
		bool is_main = metric->overview && (!output->rows->is_deterministic || !metric->needs_real_time);
		if (chosen->count ? comparison_is_chosen(chosen, metric->name) : is_main)
			overview.metrics[overview.metric_count++] = metric;
	}
	if (!chosen->count)
		qsort(overview.metrics, overview.metric_count, sizeof(*overview.metrics), compare_columns);
	return overview;
}

void compare_overview_cell(const struct compare_overview *overview, const struct comparison_workload *workload,
			   size_t metric, size_t set, int width, char text[OVERVIEW_CELL_SIZE])
{
	const struct comparison_row *row =
	    comparison_find_row(overview->output->rows, workload, overview->metrics[metric]);
	char change[METRIC_TEXT_SIZE], in_brackets[METRIC_TEXT_SIZE + 2];

	if (!row || row->cells[set].against.verdict <= VERDICT_NOT_EXERCISED) {
		snprintf(text, OVERVIEW_CELL_SIZE, "%*s", width, "-");
		return;
	}
	const struct comparison_cell *cell = &row->cells[set];
	enum comparison_verdict verdict = cell->against.verdict;
	const struct metric_scale scale = metric_scale_of(row);
	if (verdict == VERDICT_UNCLEAR)
		missed_text(&cell->against, &scale, change);
	else
		change_text(&cell->against, &scale, change);
	snprintf(in_brackets, sizeof(in_brackets), verdict == VERDICT_TOO_FEW ? "(%s)" : "%s", change);
	const char *mark = comparison_verdict_mark(verdict);
	snprintf(text, OVERVIEW_CELL_SIZE, "%*s%s%s%s", width, in_brackets, *mark ? " " : "", mark,
		 comparison_is_doubtful(cell) ? "?" : "");
}

/* One word per line keeps the column narrow. */
static void break_heading(const struct metric *metric, char heading[HEADING_SIZE])
{
	snprintf(heading, HEADING_SIZE, "%s", metric->heading);
	for (char *at = heading; (at = strchr(at, ' '));)
		*at = '\n';
}

static void write_set(const struct compare_overview *overview, size_t set, struct buffer *out)
{
	const struct comparison_rows *rows = overview->output->rows;
	struct table_column columns[METRICS_MAX + 2] = {{"workload", "workload", TABLE_TEXT, TABLE_ALWAYS}};
	char headings[METRICS_MAX][HEADING_SIZE];
	char text[OVERVIEW_CELL_SIZE];
	struct table table;

	for (size_t i = 0; i < overview->metric_count; i++) {
		const struct metric *metric = overview->metrics[i];
		break_heading(metric, headings[i]);
		columns[i + 1] = (struct table_column){metric->name, headings[i], TABLE_TEXT,
						       i < NARROW ? TABLE_ALWAYS : TABLE_WIDE};
	}
	table_begin(&table, columns);
	for (size_t at = 0; at < rows->workload_count; at++) {
		const struct comparison_workload *workload = &rows->workloads[at];
		table_text(&table, workload->name, strlen(workload->name));
		for (size_t i = 0; i < overview->metric_count; i++) {
			compare_overview_cell(overview, workload, i, set, CHANGE_WIDTH, text);
			table_text(&table, text, strlen(text));
		}
	}
	table_write_text(&table, overview->output->width, out);
	table_free(&table);
}

void compare_overview_write(const struct compare_output *output, struct buffer *out)
{
	const struct run_sets *sets = output->rows->sets;
	const struct compare_overview overview = compare_overview_make(output);

	for (size_t set = 1; set < sets->count; set++) {
		compare_add_name(out, sets->items[0].label);
		buffer_text(out, " -> ");
		compare_add_name(out, sets->items[set].label);
		buffer_text(out, ": change of the medians\n\n");
		write_set(&overview, set, out);
		buffer_text(out, "\n");
	}
	buffer_text(out, OVERVIEW_LEGEND);
}
