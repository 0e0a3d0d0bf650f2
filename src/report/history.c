/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "report/html.h"
#include "report/sections.h"

static const char *label_of(const struct history *history, size_t set)
{
	return history->sets->items[set].label;
}

void report_history_title(const struct report *report, struct buffer *out)
{
	buffer_printf(out, "%zu sets, ", report->sets.count);
	report_string(out, report->sets.items[0].label);
	buffer_text(out, " to ");
	report_string(out, report->sets.items[report->sets.count - 1].label);
}

/* --- The changes --- */

static void add_bound(struct buffer *out, const struct comparison *against, double bound, const char *unit)
{
	if (isfinite(bound))
		report_change(out, bound, against->is_percent ? "%" : unit);
	else
		buffer_text(out, "\xe2\x80\x93");
}

static void add_change(const struct history *history, const struct history_series *series,
		       const struct history_change *change, struct buffer *out)
{
	const struct comparison *against = &change->against;
	const char *unit = series->metric->unit;

	buffer_text(out, "<tr><th scope=row>");
	report_string(out, label_of(history, change->set));
	buffer_text(out, "<td class=t>");
	report_string(out, series->workload);
	buffer_printf(out, "<td class=t><code>%s</code><td>", series->metric->name);
	add_bound(out, against, against->change, unit);
	buffer_text(out, "<td>");
	add_bound(out, against, against->low, unit);
	buffer_text(out, " to ");
	add_bound(out, against, against->high, unit);
	buffer_printf(out, "<td class=t>%s<td>%.2g", comparison_verdict_text(against->verdict), change->p);
}

void report_history_changes(const struct report *report, struct buffer *out)
{
	const struct history *history = &report->history;
	size_t changes = 0;

	for (size_t i = 0; i < history->series_count; i++)
		changes += history->series[i].change_count;
	buffer_printf(out,
		      "<p>%zu change%s of %zu metrics in %zu sets. Each is the "
		      "first set whose runs differ from those before it (E-divisive; the chance of a single false one "
		      "in all metrics together is at most %g %%).\n",
		      changes, changes == 1 ? "" : "s", history->tested, history->sets->count,
		      100 * HISTORY_ERROR_RATE);
	if (changes) {
		report_table_begin(out, NULL);
		buffer_text(out, "<th scope=col class=t>set<th scope=col class=t>workload<th scope=col class=t>metric"
				 "<th scope=col>change<th scope=col>95 % interval<th scope=col class=t>verdict"
				 "<th scope=col>p</thead><tbody>");
		for (size_t set = 0; set < history->sets->count; set++)
			for (size_t i = 0; i < history->series_count; i++)
				for (size_t k = 0; k < history->series[i].change_count; k++)
					if (history->series[i].changes[k].set == set)
						add_change(history, &history->series[i], &history->series[i].changes[k],
							   out);
		report_table_end(out);
	}
}

/* --- The charts --- */

struct drawing {
	struct chart_point *points;
	struct chart_change *changes;
};

static struct drawing make_drawing(const struct history *history, const struct history_series *series)
{
	const size_t sets = history->sets->count;
	struct drawing drawing = {xcalloc(sets, sizeof(*drawing.points)), xcalloc(sets, sizeof(*drawing.changes))};

	for (size_t set = 0; set < sets; set++) {
		struct chart_point *point = &drawing.points[set];
		point->value = series->samples[set].count ? series->samples[set].median : NAN;
		median_interval(series->samples[set].values, series->samples[set].count, &point->low, &point->high);
		point->level = history_level(history, series, set);
	}
	for (size_t i = 0; i < series->change_count; i++) {
		const size_t set = series->changes[i].set;
		drawing.changes[i] = (struct chart_change){set, chart_string(label_of(history, set))};
	}
	return drawing;
}

static void describe(const struct history *history, const struct history_series *series, char *text, size_t size)
{
	size_t used = (size_t)snprintf(text, size, "Median of each of %zu sets, in their order, with its interval.",
				       history->sets->count);

	for (size_t i = 0; i < series->change_count && used < size; i++)
		used += (size_t)snprintf(text + used, size - used, " It changes at %s (set %zu).",
					 label_of(history, series->changes[i].set), series->changes[i].set + 1);
}

static void add_values(const struct history *history, const struct history_series *series,
		       const struct drawing *drawing, struct buffer *out)
{
	const char *unit = series->metric->unit;

	buffer_text(out, "<details class=f><summary>Values</summary>");
	report_table_begin(out, NULL);
	buffer_text(out, "<th scope=col>number<th scope=col class=t>set<th scope=col>runs<th scope=col>median"
			 "<th scope=col>interval</thead><tbody>");
	for (size_t set = 0; set < history->sets->count; set++) {
		const struct chart_point *point = &drawing->points[set];
		buffer_printf(out, "<tr><td>%zu<th scope=row>", set + 1);
		report_string(out, label_of(history, set));
		report_cell_count(out, series->samples[set].count);
		buffer_text(out, "<td>");
		report_value(out, point->value, unit);
		buffer_text(out, "<td>");
		report_value(out, point->low, "");
		buffer_text(out, " to ");
		report_value(out, point->high, unit);
	}
	report_table_end(out);
	buffer_text(out, "</details>");
}

static void add_series(const struct history *history, size_t number, struct buffer *out)
{
	const struct history_series *series = &history->series[number];
	const struct chart_axis y = {series->metric->unit, CHART_NUMBER, false};
	struct drawing drawing = make_drawing(history, series);
	struct chart chart = {.out = out};

	snprintf(chart.id, sizeof(chart.id), "h%zu", number);
	snprintf(chart.title, sizeof(chart.title), "%s", series->metric->name);
	describe(history, series, chart.description, sizeof(chart.description));
	buffer_text(out, "<figure><div class=scroll>");
	chart_history(&chart, "set, in the order given", &y, drawing.points, history->sets->count, drawing.changes,
		      series->change_count);
	buffer_text(out, "</div>");
	add_values(history, series, &drawing, out);
	buffer_text(out, "</figure>\n");
	free(drawing.points);
	free(drawing.changes);
}

/* The series of a workload from first to end, those that changed or the others; false if there is none. */
static bool add_charts(const struct history *history, size_t first, size_t end, bool changed, struct buffer *out)
{
	bool any = false;

	for (size_t i = first; i < end; i++) {
		if ((history->series[i].change_count > 0) != changed)
			continue;
		if (!any)
			buffer_text(out, changed ? "<div class=pair>\n"
						 : "<details class=f><summary>Metrics that did not change</summary>"
						   "<div class=pair>\n");
		any = true;
		add_series(history, i, out);
	}
	if (any)
		buffer_text(out, changed ? "</div>\n" : "</div></details>\n");
	return any;
}

static size_t add_workload(const struct history *history, size_t first, struct buffer *out)
{
	size_t end = first;

	while (end < history->series_count &&
	       strcmp(history->series[end].workload, history->series[first].workload) == 0)
		end++;
	buffer_text(out, "<h3>");
	report_string(out, history->series[first].workload);
	buffer_text(out, "</h3>\n");
	if (!add_charts(history, first, end, true, out))
		buffer_text(out, "<p class=dim>No metric changed.\n");
	add_charts(history, first, end, false, out);
	return end;
}

void report_history_workloads(const struct report *report, struct buffer *out)
{
	const struct history *history = &report->history;

	buffer_text(out, "<p class=\"dim small\">A dot is the median of the "
			 "runs of a set, its bar the 95 % interval of that median "
			 "(picknext help statistics). A vertical line is a change, a horizontal line the "
			 "median of all runs between two changes. The axes need not begin at 0.\n");
	for (size_t i = 0; i < history->series_count;)
		i = add_workload(history, i, out);
}
