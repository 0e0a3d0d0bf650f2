/* SPDX-License-Identifier: MIT
 *
 * The distributions of the sets, as curves in one chart. */
#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"
#include "report/html.h"
#include "report/view.h"

/* Points of a curve, in parts of 1000: every percent, and closer in the tail. */
enum { POINTS = 109 };

static unsigned int point_of(size_t i)
{
	return i <= 99 ? (unsigned int)i * 10 : 990 + (unsigned int)(i - 99);
}

static size_t fill_curve(const struct distribution *distribution, double x[POINTS], double y[POINTS])
{
	size_t count = 0;

	for (size_t i = 0; i < POINTS && distribution->count; i++) {
		unsigned int per_mille = point_of(i);
		uint64_t value = per_mille == 0 ? distribution->min : distribution_percentile(distribution, per_mille);
		x[count] = value ? (double)value : 1;
		y[count++] = (double)per_mille / 1000;
	}
	if (distribution->count) {
		x[count] = (double)distribution->max;
		y[count++] = 1;
	}
	return count;
}

typedef const struct distribution *(*distribution_of)(const struct report_workload *workload, uint32_t set);

static const struct distribution *wakeups_of(const struct report_workload *workload, uint32_t set)
{
	return &workload->wakeups[set];
}

static const struct distribution *slices_of(const struct report_workload *workload, uint32_t set)
{
	return &workload->slices[set];
}

static void describe_curve(const struct report_view *view, distribution_of of, const char *what, char *text,
			   size_t size)
{
	struct buffer out = {0};

	buffer_printf(&out, "Share of %s up to each length, on a logarithmic axis.", what);
	for (uint32_t set = 0; set < view->report->set_count; set++) {
		const struct distribution *distribution = of(view->workload, set);
		if (distribution->count == 0)
			continue;
		buffer_printf(&out, " %s: median ", view->report->sets.items[set].label);
		report_duration(&out, (double)distribution_percentile(distribution, 500));
		buffer_text(&out, ", p99 ");
		report_duration(&out, (double)distribution_percentile(distribution, 990));
		buffer_printf(&out, " (%llu).", (unsigned long long)distribution->count);
	}
	snprintf(text, size, "%.*s", (int)out.length, out.data ? out.data : "");
	buffer_free(&out);
}

struct curve {
	double x[POINTS + 1], y[POINTS + 1];
};

static bool draw_curves(const struct report_view *view, distribution_of of, const char *axis_title, struct chart *chart)
{
	struct chart_series series[REPORT_SETS_MAX];
	struct curve *curves = xcalloc(view->report->set_count, sizeof(*curves));
	bool any = false;

	for (uint32_t set = 0; set < view->report->set_count; set++) {
		const struct distribution *distribution = of(view->workload, set);
		struct chart_series *line = &series[set];
		*line = (struct chart_series){.name = report_label_text(view->report, set),
					      .colour = set,
					      .x = curves[set].x,
					      .y = curves[set].y,
					      .mark_x = {-1, -1}};
		line->count = fill_curve(distribution, curves[set].x, curves[set].y);
		any = any || line->count;
		if (!line->count)
			continue;
		line->mark[0] = "p50";
		line->mark_x[0] = (double)distribution_percentile(distribution, 500);
		line->mark_y[0] = 0.5;
		line->mark[1] = "p99";
		line->mark_x[1] = (double)distribution_percentile(distribution, 990);
		line->mark_y[1] = 0.99;
	}
	const struct chart_axis x = {axis_title, CHART_NS, true}, y = {"share", CHART_SHARE, false};
	if (any)
		chart_lines(chart, &x, &y, true, series, view->report->set_count);
	free(curves);
	return any;
}

bool report_draw_wakeups(const struct report_view *view, struct chart *chart, struct report_words *words)
{
	const bool is_real = !view->report->rows.is_deterministic;

	snprintf(words->title, sizeof(words->title), "Wakeup latency%s", is_real ? "" : " in instructions of 1 ns");
	describe_curve(view, wakeups_of,
		       is_real ? "waits from wakeup to running"
			       : "waits from wakeup to running in deterministic guests, which have no real times",
		       words->description, sizeof(words->description));
	return draw_curves(view, wakeups_of,
			   is_real ? "from woken to running, all runs together"
				   : "from woken to running; deterministic, so no real times",
			   chart);
}

bool report_draw_slices(const struct report_view *view, struct chart *chart, struct report_words *words)
{
	snprintf(words->title, sizeof(words->title), "Slices");
	describe_curve(view, slices_of, "slices", words->description, sizeof(words->description));
	return draw_curves(view, slices_of, "from switched in to switched out, all runs together", chart);
}

static void percentile_table(const struct report_view *view, distribution_of of, struct buffer *out)
{
	static const unsigned int per_mille[] = {100, 250, 500, 750, 900, 950, 990, 999};

	report_table_begin(out, NULL);
	buffer_text(out, "<th scope=col class=t>set<th scope=col>count<th scope=col>min");
	for (size_t i = 0; i < 8; i++)
		buffer_printf(out, "<th scope=col>p%g", (double)per_mille[i] / 10);
	buffer_text(out, "<th scope=col>max</thead><tbody>");
	for (uint32_t set = 0; set < view->report->set_count; set++) {
		const struct distribution *distribution = of(view->workload, set);
		if (distribution->count == 0)
			continue;
		buffer_text(out, "<tr><th scope=row>");
		report_label(view->report, set, out);
		report_cell_count(out, distribution->count);
		report_cell_duration(out, (double)distribution->min);
		for (size_t i = 0; i < 8; i++)
			report_cell_duration(out, (double)distribution_percentile(distribution, per_mille[i]));
		report_cell_duration(out, (double)distribution->max);
	}
	report_table_end(out);
}

void report_wakeup_table(const struct report_view *view, struct buffer *out)
{
	percentile_table(view, wakeups_of, out);
}

void report_slice_table(const struct report_view *view, struct buffer *out)
{
	percentile_table(view, slices_of, out);
}
