/* SPDX-License-Identifier: MIT
 *
 * The distributions of the sets, as curves in one chart. */
#include "report/view.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"
#include "report/html.h"

/* Points of a curve, in parts of 1000: each percent, and more in the tail. */
enum { POINTS = 109 };

static unsigned int point_of(size_t i)
{
	return i <= 99 ? (unsigned int)i * 10 : 990 + (unsigned int)(i - 99);
}

/* more: added to each value, so that 0 has a place on a logarithmic axis. */
static size_t fill_curve(const struct distribution *distribution, uint64_t more, double x[POINTS + 1],
			 double y[POINTS + 1])
{
	size_t count = 0;

	for (size_t i = 0; i < POINTS && distribution->count; i++) {
		unsigned int per_mille = point_of(i);
		uint64_t value = per_mille == 0 ? distribution->min : distribution_percentile(distribution, per_mille);
		x[count] = value + more ? (double)(value + more) : 1;
		y[count++] = (double)per_mille / 1000;
	}
	if (distribution->count) {
		x[count] = (double)(distribution->max + more);
		y[count++] = 1;
	}
	return count;
}

struct curves {
	const char *title, *what, *axis; /* what: plural noun, such as "waits from wakeup to running" */
	enum chart_unit unit;
	bool are_real_times; /* real times, which deterministic guests do not have */
};

static const struct curves kinds[RUN_DISTRIBUTIONS] = {
    [RUN_WAKEUPS] = {"Wakeup latency", "waits from wakeup to running", "woken to running", CHART_NS, true},
    [RUN_PREEMPTED] = {"Preempted waits", "waits from preemption to running", "preempted to running", CHART_NS, true},
    [RUN_OVERTAKEN] = {"Switches before a woken task runs", "wakeups", "switches until it runs, plus 1", CHART_NUMBER,
		       false},
    [RUN_SLICES] = {"Slices", "slices", "switched in to switched out", CHART_NS, false},
};

static const struct distribution *distribution_of(const struct report_view *view, uint32_t set)
{
	return &view->workload->distributions[view->item][set];
}

static bool are_real(const struct report_view *view)
{
	return kinds[view->item].are_real_times && !view->report->rows.is_deterministic;
}

static void add_length(const struct report_view *view, uint64_t length, struct buffer *out)
{
	if (kinds[view->item].unit == CHART_NS)
		report_duration(out, (double)length);
	else
		report_count(out, length);
}

static void describe_curves(const struct report_view *view, char *text, size_t size)
{
	const struct curves *kind = &kinds[view->item];
	struct buffer out = {0};

	buffer_printf(&out, "Share of %s of all runs together%s up to each length, on a logarithmic axis.", kind->what,
		      kind->are_real_times && !are_real(view) ? " in deterministic guests, which have no real times,"
							      : "");
	for (uint32_t set = 0; set < view->report->set_count; set++) {
		const struct distribution *distribution = distribution_of(view, set);
		if (distribution->count == 0)
			continue;
		buffer_printf(&out, " %s: median ", view->report->sets.items[set].label);
		add_length(view, distribution_percentile(distribution, 500), &out);
		buffer_text(&out, ", p99 ");
		add_length(view, distribution_percentile(distribution, 990), &out);
		buffer_printf(&out, " (%llu).", (unsigned long long)distribution->count);
	}
	snprintf(text, size, "%.*s", (int)out.length, out.data ? out.data : "");
	buffer_free(&out);
}

struct curve {
	double x[POINTS + 1], y[POINTS + 1];
};

static bool draw_curves(const struct report_view *view, const char *axis_title, struct chart *chart)
{
	const uint64_t more = kinds[view->item].unit == CHART_NUMBER;
	struct chart_series series[REPORT_SETS_MAX];
	struct curve *curves = xcalloc(view->report->set_count, sizeof(*curves));
	bool any = false;

	for (uint32_t set = 0; set < view->report->set_count; set++) {
		const struct distribution *distribution = distribution_of(view, set);
		struct chart_series *line = &series[set];
		*line = (struct chart_series){.name = report_label_text(view->report, set),
					      .colour = set,
					      .x = curves[set].x,
					      .y = curves[set].y,
					      .mark_x = {-1, -1}};
		line->count = fill_curve(distribution, more, curves[set].x, curves[set].y);
		any = any || line->count;
		if (!line->count)
			continue;
		line->mark[0] = "p50";
		line->mark_x[0] = (double)(distribution_percentile(distribution, 500) + more);
		line->mark_y[0] = 0.5;
		line->mark[1] = "p99";
		line->mark_x[1] = (double)(distribution_percentile(distribution, 990) + more);
		line->mark_y[1] = 0.99;
	}
	const struct chart_axis x = {axis_title, kinds[view->item].unit, true}, y = {"share", CHART_SHARE, false};
	if (any)
		chart_lines(chart, &x, &y, true, series, view->report->set_count);
	free(curves);
	return any;
}

static bool draw(const struct report_view *view, struct chart *chart)
{
	const struct curves *kind = &kinds[view->item];
	const bool lacks_times = kind->are_real_times && !are_real(view);
	char axis[80];

	snprintf(chart->title, sizeof(chart->title), "%s%s", kind->title,
		 lacks_times ? " in instructions of 1 ns" : "");
	snprintf(axis, sizeof(axis), "%s%s", kind->axis,
		 lacks_times ? "; all runs together, no real times" : ", all runs together");
	describe_curves(view, chart->description, sizeof(chart->description));
	return draw_curves(view, axis, chart);
}

static void write_table(const struct report_view *view, struct buffer *out)
{
	static const unsigned int per_mille[] = {100, 250, 500, 750, 900, 950, 990, 999};

	report_table_begin(out);
	buffer_text(out, "<th scope=col class=t>set<th scope=col>count<th scope=col>min");
	for (size_t i = 0; i < 8; i++)
		buffer_printf(out, "<th scope=col>p%g", (double)per_mille[i] / 10);
	buffer_text(out, "<th scope=col>max</thead><tbody>");
	for (uint32_t set = 0; set < view->report->set_count; set++) {
		const struct distribution *distribution = distribution_of(view, set);
		if (distribution->count == 0)
			continue;
		buffer_text(out, "<tr><th scope=row>");
		report_label(view->report, set, out);
		report_cell_count(out, distribution->count);
		buffer_text(out, "<td>");
		add_length(view, distribution->min, out);
		for (size_t i = 0; i < 8; i++) {
			buffer_text(out, "<td>");
			add_length(view, distribution_percentile(distribution, per_mille[i]), out);
		}
		buffer_text(out, "<td>");
		add_length(view, distribution->max, out);
	}
	report_table_end(out);
}

const struct report_chart report_curves[] = {
    {"wakeup", false, false, RUN_WAKEUPS, 0, draw, write_table},
    {"preempted", false, false, RUN_PREEMPTED, 0, draw, write_table},
    {"overtaken", false, false, RUN_OVERTAKEN, 0, draw, write_table},
    {"slices", false, false, RUN_SLICES, 0, draw, write_table},
    {.name = NULL},
};
