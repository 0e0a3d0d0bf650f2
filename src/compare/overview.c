/* SPDX-License-Identifier: MIT
 *
 * A row for each workload with nothing but the changes: for people, and in Markdown. */
#include <stdio.h>
#include <string.h>

#include "compare/markdown.h"
#include "compare/metric_text.h"
#include "compare/output.h"
#include "compare/run_set.h"
#include "term/table.h"

enum {
	NARROW = 4, /* columns that a terminal of 80 has room for */
	HEADING_SIZE = 64,
};

/* The most telling first. */
static const enum run_metric usual_metrics[] = {
    METRIC_THROUGHPUT, METRIC_INVOLUNTARY_SHARE, METRIC_WAKEUP_P50, METRIC_WAKEUP_P99,
    METRIC_SLICE_P50,  METRIC_MIGRATIONS,        METRIC_FAIRNESS,
};

struct overview {
	const struct compare_output *output;
	enum run_metric metrics[METRIC_COUNT];
	size_t metric_count;
	size_t set;
};

static void choose(struct overview *overview)
{
	const struct option_list *chosen = &overview->output->choice->metrics;

	for (enum run_metric metric = 0; chosen->count && metric < METRIC_COUNT; metric++)
		if (comparison_is_chosen(chosen, metric_table[metric].name))
			overview->metrics[overview->metric_count++] = metric;
	if (chosen->count)
		return;
	overview->metric_count = sizeof(usual_metrics) / sizeof(usual_metrics[0]);
	memcpy(overview->metrics, usual_metrics, sizeof(usual_metrics));
}

static const struct comparison_row *find(const struct overview *overview, const struct comparison_workload *workload,
					 enum run_metric metric)
{
	const struct comparison_row *rows = &overview->output->rows->rows[workload->first_row];

	for (size_t i = 0; i < workload->row_count; i++)
		if (rows[i].metric == metric)
			return &rows[i];
	return NULL;
}

/* "+12.3% ✓?"; in brackets where there are too few runs to tell. */
static void cell_text(const struct comparison_row *row, size_t set, int width, char *text, size_t size)
{
	static const char *const marks[VERDICTS] = {"", "", "", " ✓", " ✗", " ≠"};
	char change[FIGURE_TEXT], in_brackets[FIGURE_TEXT + 2];

	if (!row || row->cells[set].against.verdict == VERDICT_NONE) {
		snprintf(text, size, "%*s", width, "-");
		return;
	}
	const struct comparison_cell *cell = &row->cells[set];
	enum comparison_verdict verdict = cell->against.verdict;
	change_text(&cell->against, change);
	snprintf(in_brackets, sizeof(in_brackets), verdict == VERDICT_TOO_FEW ? "(%s)" : "%s", change);
	snprintf(text, size, "%*s%s%s", width, in_brackets, marks[verdict],
		 verdict >= VERDICT_BETTER && !cell->stands ? "?" : "");
}

/* The words of a heading, each on a line, so that the column stays narrow. */
static void heading_text(enum run_metric metric, char heading[HEADING_SIZE])
{
	snprintf(heading, HEADING_SIZE, "%s", metric_table[metric].heading);
	for (char *at = heading; (at = strchr(at, ' '));)
		*at = '\n';
}

static void write_table(const struct overview *overview, struct buffer *out)
{
	const struct comparison_rows *rows = overview->output->rows;
	struct table_column columns[METRIC_COUNT + 2] = {{"workload", "workload", TABLE_TEXT, TABLE_ALWAYS}};
	char headings[METRIC_COUNT][HEADING_SIZE];
	char text[FIGURE_TEXT * 2];
	struct table table;

	for (size_t i = 0; i < overview->metric_count; i++) {
		enum run_metric metric = overview->metrics[i];
		heading_text(metric, headings[i]);
		columns[i + 1] = (struct table_column){metric_table[metric].name, headings[i], TABLE_TEXT,
						       i < NARROW ? TABLE_ALWAYS : TABLE_WIDE};
	}
	table_begin(&table, columns);
	for (size_t at = 0; at < rows->workload_count; at++) {
		const struct comparison_workload *workload = &rows->workloads[at];
		table_text(&table, workload->name, strlen(workload->name));
		for (size_t i = 0; i < overview->metric_count; i++) {
			cell_text(find(overview, workload, overview->metrics[i]), overview->set, 8, text, sizeof(text));
			table_text(&table, text, strlen(text));
		}
	}
	out->failed = out->failed || table.failed;
	table_write_text(&table, overview->output->width, out);
	table_free(&table);
}

static void write_markdown(const struct overview *overview, struct buffer *out)
{
	const struct comparison_rows *rows = overview->output->rows;
	char text[FIGURE_TEXT * 2];

	buffer_text(out, "| workload |");
	for (size_t i = 0; i < overview->metric_count; i++)
		buffer_printf(out, " %s |", metric_table[overview->metrics[i]].heading);
	buffer_text(out, "\n|:--|");
	for (size_t i = 0; i < overview->metric_count; i++)
		buffer_text(out, "--:|");
	for (size_t at = 0; at < rows->workload_count; at++) {
		const struct comparison_workload *workload = &rows->workloads[at];
		buffer_text(out, "\n| ");
		compare_markdown_name(out, workload->name);
		buffer_text(out, " |");
		for (size_t i = 0; i < overview->metric_count; i++) {
			cell_text(find(overview, workload, overview->metrics[i]), overview->set, 0, text, sizeof(text));
			buffer_printf(out, " %s |", text);
		}
	}
	buffer_text(out, "\n");
}

void compare_write_overview(const struct compare_output *output, bool is_markdown, struct buffer *out)
{
	const struct run_set *sets = output->rows->sets->items;
	struct overview overview = {.output = output};

	choose(&overview);
	for (overview.set = 1; overview.set < output->rows->sets->count; overview.set++) {
		const struct run_set *set = &sets[overview.set];
		(is_markdown ? compare_markdown_name : compare_add_name)(out, sets[0].label);
		buffer_text(out, is_markdown ? " → " : " -> ");
		(is_markdown ? compare_markdown_name : compare_add_name)(out, set->label);
		buffer_text(out, ": change of the medians\n\n");
		(is_markdown ? write_markdown : write_table)(&overview, out);
		buffer_text(out, "\n");
	}
	buffer_text(out, "✓ better, ✗ worse, ≠ different; no mark: no difference was shown;\n"
			 "(): too few runs to tell; ?: does not stand among so many figures.\n\n");
}
