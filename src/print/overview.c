/* SPDX-License-Identifier: MIT */
#include "print/overview.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compare/metric_text.h"
#include "compare/pattern.h"
#include "compare/run_set.h"

enum {
	NARROW = 4, /* columns that fit a terminal of 80 */
	CELL_SIZE = 2 * METRIC_TEXT_SIZE,
};

_Static_assert(METRICS_MAX + 1 <= TABLE_COLUMNS_MAX, "a column per metric");

static void choose_metrics(const struct compare_output *output, struct compare_overview *overview)
{
	const struct option_list *chosen = &output->choice->metrics;

	for (const struct metric *const *metric = output->rows->sets->metrics; *metric && chosen->count; metric++)
		if (patterns_fit(chosen, (*metric)->name))
			overview->metrics[overview->metric_count++] = *metric;
	if (!chosen->count)
		overview->metric_count = comparison_columns(output->rows, overview->metrics);
	overview->hidden = comparison_count_hidden(output->rows, overview->metrics, overview->metric_count);
}

/* One word per line keeps the column narrow. */
static void break_heading(const struct metric *metric, char heading[OVERVIEW_HEADING_SIZE])
{
	snprintf(heading, OVERVIEW_HEADING_SIZE, "%s", metric->heading);
	for (char *at = heading; (at = strchr(at, ' '));)
		*at = '\n';
}

void compare_overview_make(const struct compare_output *output, struct compare_overview *overview)
{
	*overview = (struct compare_overview){.columns = {{"workload", "workload", TABLE_TEXT, TABLE_ALWAYS}}};
	choose_metrics(output, overview);
	for (size_t i = 0; i < overview->metric_count; i++) {
		const struct metric *metric = overview->metrics[i];
		break_heading(metric, overview->headings[i]);
		overview->columns[i + 1] = (struct table_column){metric->name, overview->headings[i], TABLE_VALUE,
								 i < NARROW ? TABLE_ALWAYS : TABLE_WIDE};
	}
}

/* Values end above each other: a missing mark is as wide as one. */
static void add_cell(const struct comparison_row *row, size_t set, struct table *table)
{
	char change[METRIC_TEXT_SIZE], text[CELL_SIZE];

	if (!row || row->cells[set].against.verdict <= VERDICT_NOT_EXERCISED) {
		table_string(table, "-   ");
		return;
	}
	const struct comparison_cell *cell = &row->cells[set];
	enum comparison_verdict verdict = cell->against.verdict;
	const struct metric_scale scale = metric_scale_of(row);
	if (verdict == VERDICT_UNCLEAR)
		missed_text(&cell->against, &scale, change);
	else
		change_text(&cell->against, &scale, change);
	const char *mark = comparison_verdict_mark(verdict);
	snprintf(text, sizeof(text), verdict == VERDICT_TOO_FEW ? "(%s) %s%s" : "%s %s%s", change, *mark ? mark : " ",
		 comparison_is_doubtful(cell) ? "?" : " ");
	table_string(table, text);
}

void compare_overview_fill(const struct compare_output *output, const struct compare_overview *overview, size_t set,
			   struct table *table)
{
	const struct comparison_rows *rows = output->rows;

	table_begin(table, overview->columns);
	for (size_t at = 0; at < rows->workload_count; at++) {
		table_string(table, rows->workloads[at].name);
		for (size_t i = 0; i < overview->metric_count; i++)
			add_cell(comparison_find_row(rows, &rows->workloads[at], overview->metrics[i]), set, table);
	}
}
