/* SPDX-License-Identifier: MIT
 *
 * The comparison as tables: the main metrics of all workloads, and all metrics of one. */
#include "report/sections.h"

#include <math.h>

#include "compare/metric_text.h"
#include "report/html.h"

static const char *const verdict_classes[VERDICTS] = {"few",   "few",   "few",    "few",   "unclear",
						      "equal", "equal", "better", "worse", "different"};

static void add_median(const struct comparison_row *row, uint32_t set, struct buffer *out)
{
	const struct metric_scale scale = metric_scale_of(row);
	char text[METRIC_TEXT_SIZE];

	if (scale.is_count)
		buffer_text(out, metric_value_text(row->cells[set].sample.median, &scale, text));
	else
		report_value(out, row->cells[set].sample.median, row->metric->unit);
}

/* The changes as the page shows them, with their unit. Changes of counts are integers or means of two. */
static struct difference changes_of(const struct comparison_row *row, uint32_t set, const char **unit)
{
	const struct metric_scale scale = metric_scale_of(row);
	const struct shown_change shown = shown_change(&row->cells[set].against, &scale);
	struct difference changes = shown.difference;
	double *const ends[] = {&changes.change, &changes.low, &changes.high};

	*unit = shown.is_percent ? "%" : scale.is_count ? "" : row->metric->unit;
	for (size_t i = 0; i < 3 && scale.is_count; i++)
		*ends[i] = floor(2 * *ends[i] / scale.divisor + 0.5) / 2;
	return changes;
}

static const char *doubt_mark(const struct comparison_cell *cell)
{
	return comparison_is_doubtful(cell) ? "?" : "";
}

/* Adds "≤ 12 %": a larger difference would have been shown. Adds nothing if there is no limit. */
static void add_missed(const struct difference *changes, const char *unit, struct buffer *out)
{
	const double missed = fmax(fabs(changes->low), fabs(changes->high));

	if (!isfinite(missed))
		return;
	buffer_text(out, "\xe2\x89\xa4\xc2\xa0");
	report_change_size(out, missed, unit);
}

static void add_verdict_cell(const struct comparison_row *row, uint32_t set, struct buffer *out)
{
	const struct comparison_cell *cell = &row->cells[set];

	buffer_printf(out, "<td class=\"v %s\" title=\"", verdict_classes[cell->against.verdict]);
	add_median(row, 0, out);
	buffer_text(out, " \xe2\x86\x92 ");
	add_median(row, set, out);
	buffer_text(out, "\">");
	if (cell->against.verdict <= VERDICT_NOT_EXERCISED) {
		buffer_text(out, "\xe2\x80\x93");
		return;
	}
	const char *unit;
	const struct difference changes = changes_of(row, set, &unit);
	bool is_few = cell->against.verdict == VERDICT_TOO_FEW;
	buffer_text(out, is_few ? "(" : "");
	if (cell->against.verdict == VERDICT_UNCLEAR)
		add_missed(&changes, unit, out);
	else
		report_change(out, changes.change, unit);
	buffer_text(out, is_few ? ")" : "");
	const char *mark = comparison_verdict_mark(cell->against.verdict);
	if (*mark)
		buffer_printf(out, " <span aria-hidden=true>%s%s</span>", mark, doubt_mark(cell));
	if (!is_few)
		buffer_printf(out, "<span class=hide> %s%s</span>", comparison_verdict_text(cell->against.verdict),
			      doubt_mark(cell));
}

static void add_overview_row(const struct report *report, const struct comparison_workload *workload, size_t number,
			     uint32_t set, struct buffer *out)
{
	buffer_printf(out, "<tr><th scope=row><a href=\"#w%zu\">", number);
	report_string(out, workload->name);
	buffer_text(out, "</a>");
	for (size_t i = 0; i < report->column_count; i++) {
		const struct comparison_row *row = comparison_find_row(&report->rows, workload, report->columns[i]);
		if (!row) {
			buffer_text(out, "<td class=dim>\xe2\x80\x93");
		} else if (set) {
			add_verdict_cell(row, set, out);
		} else {
			buffer_text(out, "<td>");
			add_median(row, 0, out);
		}
	}
}

static void add_overview_table(const struct report *report, uint32_t set, struct buffer *out)
{
	report_table_begin(out);
	buffer_text(out, "<th scope=col class=t>workload");
	for (size_t i = 0; i < report->column_count; i++)
		buffer_printf(out, "<th scope=col class=h>%s", report->columns[i]->heading);
	buffer_text(out, "</thead><tbody>");
	for (size_t i = 0; i < report->rows.workload_count; i++)
		add_overview_row(report, &report->rows.workloads[i], i, set, out);
	report_table_end(out);
}

/* The verdict signs that a table uses. */
struct verdict_signs {
	bool verdicts[VERDICTS], doubtful;
};

static void add_signs(const struct report *report, const struct comparison_row *row, struct verdict_signs *signs)
{
	for (uint32_t set = 1; set < report->set_count && !row->is_excluded; set++) {
		signs->verdicts[row->cells[set].against.verdict] = true;
		signs->doubtful = signs->doubtful || comparison_is_doubtful(&row->cells[set]);
	}
}

static void add_legend(const struct report *report, struct buffer *out)
{
	struct verdict_signs signs = {0};

	for (size_t i = 0; i < report->rows.row_count; i++)
		for (size_t column = 0; column < report->column_count; column++)
			if (report->rows.rows[i].metric == report->columns[column])
				add_signs(report, &report->rows.rows[i], &signs);
	buffer_text(out, "<p class=\"dim small\">Change of the median");
	for (int verdict = VERDICT_UNCLEAR; verdict < VERDICTS; verdict++)
		if (signs.verdicts[verdict])
			buffer_printf(out, " <span class=\"key %s\">%s %s</span>", verdict_classes[verdict],
				      comparison_verdict_mark((enum comparison_verdict)verdict),
				      comparison_verdict_text((enum comparison_verdict)verdict));
	buffer_text(out, "<br>");
	if (signs.verdicts[VERDICT_TOO_FEW])
		buffer_printf(out, " In brackets: too few runs or values, a verdict needs %d in each set.",
			      COMPARISON_RUNS_MIN);
	if (signs.verdicts[VERDICT_BETTER] || signs.verdicts[VERDICT_WORSE] || signs.verdicts[VERDICT_DIFFERENT])
		buffer_text(out, " Better, worse and different: the 95 % interval of the change does not contain 0.");
	if (signs.doubtful)
		buffer_text(out, " ?: not significant after correction for the number of metrics.");
	if (signs.verdicts[VERDICT_EQUAL])
		buffer_printf(out, " Equal: the whole interval is within \xc2\xb1%g %%.", report->margin_percent);
	if (signs.verdicts[VERDICT_NEGLIGIBLE])
		buffer_text(out, " Negligible: the whole interval is below what can matter (picknext compare --list).");
	if (signs.verdicts[VERDICT_UNCLEAR])
		buffer_printf(
		    out,
		    " Unclear: neither a difference nor equality within \xc2\xb1%g %% was shown; \xe2\x89\xa4 is the "
		    "largest difference that could have been missed.",
		    report->margin_percent);
	const size_t hidden = comparison_count_hidden(&report->rows, report->columns, report->column_count);
	if (hidden)
		buffer_printf(out, " %zu more significant difference%s of other metrics %s under each workload.",
			      hidden, hidden == 1 ? "" : "s", hidden == 1 ? "is" : "are");
	buffer_text(out, "\n");
}

void report_overview(const struct report *report, struct buffer *out)
{
	if (report->set_count == 1) {
		add_overview_table(report, 0, out);
		buffer_text(out, "<p class=\"dim small\">Medians over the runs of each workload.\n");
	}
	for (uint32_t set = 1; set < report->set_count; set++) {
		buffer_text(out, "<p>");
		report_label(report, set, out);
		buffer_text(out, " against ");
		report_label(report, 0, out);
		add_overview_table(report, set, out);
	}
	if (report->set_count > 1) {
		add_legend(report, out);
		report_change_charts(report, out);
	}
}

/* "1,234 us ± 2.3 %" */
static void add_sample(const struct comparison_row *row, uint32_t set, struct buffer *out)
{
	const struct comparison_cell *cell = &row->cells[set];

	buffer_text(out, "<td>");
	add_median(row, set, out);
	buffer_text(out, "<td class=\"dim x\">");
	if (cell->sample.count > 1 && !isnan(cell->sample.spread_percent))
		buffer_printf(out, "\xc2\xb1\xc2\xa0%.1f\xc2\xa0%%", cell->sample.spread_percent);
}

static void add_comparison(const struct comparison_row *row, uint32_t set, bool has_verdicts, struct buffer *out)
{
	const struct comparison_cell *cell = &row->cells[set];
	const struct comparison *against = &cell->against;

	buffer_printf(out, "<td class=\"v %s\">", verdict_classes[against->verdict]);
	if (against->verdict == VERDICT_NONE) {
		buffer_text(out, has_verdicts ? "\xe2\x80\x93<td class=x><td>" : "\xe2\x80\x93");
		return;
	}
	const char *unit;
	const struct difference changes = changes_of(row, set, &unit);
	report_change(out, changes.change, unit);
	if (!has_verdicts)
		return;
	buffer_text(out, "<td class=\"dim x\">");
	if (against->verdict > VERDICT_TOO_FEW && !isnan(against->low)) {
		report_change(out, changes.low, unit);
		buffer_text(out, "\xe2\x80\xa6 ");
		report_change(out, changes.high, unit);
	}
	buffer_printf(out, "<td class=\"t wrap\">%s %s%s", comparison_verdict_mark(against->verdict),
		      comparison_verdict_text(against->verdict), doubt_mark(cell));
	if (against->verdict == VERDICT_UNCLEAR) {
		buffer_text(out, " ");
		add_missed(&changes, unit, out);
	}
}

static bool has_values(const struct report *report, const struct comparison_row *row)
{
	bool has = false;

	for (uint32_t set = 0; set < report->set_count; set++)
		has = has || row->cells[set].sample.count;
	return has;
}

/* True for a rule that no run breaks. If a kernel lacks the subject of the rule, there is no value. */
static bool is_rule_that_holds(const struct report *report, const struct comparison_row *row)
{
	bool holds = row->metric->breaks_rule && has_values(report, row);

	for (uint32_t set = 0; set < report->set_count; set++)
		holds = holds && (!row->cells[set].sample.count || row->cells[set].sample.max == 0);
	return holds;
}

static bool is_in_table(const struct report *report, const struct comparison_row *row)
{
	return !row->is_excluded && comparison_is_exercised(&report->rows, row) && has_values(report, row) &&
	       !is_rule_that_holds(report, row);
}

/* Whether a set has too few runs for a verdict on any metric. */
static bool lacks_runs(const struct report *report, const struct report_workload *workload, uint32_t set)
{
	const struct comparison_row *row = &report->rows.rows[workload->compared->first_row];
	bool has[VERDICTS] = {false};

	for (size_t i = 0; i < workload->compared->row_count; i++)
		if (is_in_table(report, &row[i]))
			has[row[i].cells[set].against.verdict] = true;
	for (int verdict = VERDICT_TOO_FEW + 1; verdict < VERDICTS; verdict++)
		if (has[verdict])
			return false;
	return has[VERDICT_TOO_FEW];
}

/* A table with the first set and one other set; more sets would be wider than a screen or a sheet of paper. set 0: only
 * the first set. */
static void add_metric_table(const struct report *report, const struct report_workload *workload, uint32_t set,
			     struct buffer *out)
{
	const struct comparison_row *row = &report->rows.rows[workload->compared->first_row];
	const bool decides = !set || !lacks_runs(report, workload, set);

	if (!decides)
		buffer_printf(out, "<p class=\"dim small\">No verdicts: these need %d runs of each set.\n",
			      COMPARISON_RUNS_MIN);
	report_table_begin(out);
	buffer_text(out, "<th scope=col class=t>metric");
	report_set_heading(report, 0, "<th scope=col class=x>spread", out);
	if (set)
		report_set_heading(report, set,
				   decides ? "<th scope=col class=x>spread<th scope=col>change"
					     "<th scope=col class=x>95 % interval<th scope=col class=t>verdict"
					   : "<th scope=col class=x>spread<th scope=col>change",
				   out);
	buffer_text(out, "</thead><tbody>");
	for (size_t i = 0; i < workload->compared->row_count; i++, row++) {
		const struct metric *metric = row->metric;
		if (!is_in_table(report, row))
			continue;
		buffer_printf(out, "<tr><th scope=row title=\"%s\">%s", metric->help, metric->heading);
		add_sample(row, 0, out);
		if (!set)
			continue;
		add_sample(row, set, out);
		add_comparison(row, set, decides, out);
	}
	report_table_end(out);
}

void report_metric_table(const struct report *report, const struct report_workload *workload, struct buffer *out)
{
	struct verdict_signs signs = {0};
	size_t holding = 0;

	for (uint32_t set = report->set_count > 1; set == 0 || set < report->set_count; set++)
		add_metric_table(report, workload, set, out);
	for (size_t i = 0; i < workload->compared->row_count; i++) {
		const struct comparison_row *row = &report->rows.rows[workload->compared->first_row + i];
		add_signs(report, row, &signs);
		holding += is_rule_that_holds(report, row);
	}
	if (holding)
		buffer_printf(out, "<p class=\"dim small\">Rules that no run breaks: %zu, not shown.\n", holding);
	if (report->set_count == 1)
		return;
	buffer_text(out, "<p class=\"dim small\">Spread: half the interquartile range.");
	if (signs.doubtful)
		buffer_text(out, " ?: not significant after correction for the number of metrics on this page.");
	if (signs.verdicts[VERDICT_UNCLEAR])
		buffer_text(out, " \xe2\x89\xa4: a larger difference would have been shown.");
	buffer_text(out, "\n");
}
