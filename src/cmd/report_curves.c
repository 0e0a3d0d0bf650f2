/* SPDX-License-Identifier: MIT
 *
 * What lies over another as curves: distributions of the sets, and migrations over time. */
#include <stdio.h>
#include <stdlib.h>

#include "cmd/report_charts.h"
#include "cmd/report_html.h"

/* Points of a curve, in parts of 1000: every hundredth, and nearer at the end, where the waits are that hurt. */
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
		uint64_t value =
		    per_mille == 0 ? distribution->least : distribution_percentile(distribution, per_mille);
		x[count] = value ? (double)value : 1;
		y[count++] = (double)per_mille / 1000;
	}
	if (distribution->count) {
		x[count] = (double)distribution->most;
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

static void describe(const struct report_view *view, distribution_of of, const char *what, char *text, size_t size)
{
	struct buffer out = {0};

	buffer_printf(&out, "Share of %s that are at most so long, on a logarithmic axis.", what);
	for (uint32_t set = 0; set < view->report->set_count; set++) {
		const struct distribution *distribution = of(view->workload, set);
		if (distribution->count == 0)
			continue;
		buffer_printf(&out, " %s: median ", view->report->sets->items[set].label);
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
	struct chart_series series[REPORT_SETS_MOST];
	struct curve *curves = calloc(view->report->set_count, sizeof(*curves));
	bool any = false;

	chart->out->failed = chart->out->failed || !curves;
	for (uint32_t set = 0; curves && set < view->report->set_count; set++) {
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
	snprintf(words->title, sizeof(words->title), "Wakeup latency");
	describe(view, wakeups_of, "waits from wakeup to running", words->description, sizeof(words->description));
	return draw_curves(view, wakeups_of, "from woken to running, all runs together", chart);
}

bool report_draw_slices(const struct report_view *view, struct chart *chart, struct report_words *words)
{
	snprintf(words->title, sizeof(words->title), "Slices");
	describe(view, slices_of, "slices", words->description, sizeof(words->description));
	return draw_curves(view, slices_of, "from switched in to switched out, all runs together", chart);
}

static void percentile_table(const struct report_view *view, distribution_of of, struct buffer *out)
{
	static const unsigned int per_mille[] = {100, 250, 500, 750, 900, 950, 990, 999};

	report_table_begin(out, NULL);
	buffer_text(out, "<th scope=col class=t>set<th scope=col>count<th scope=col>least");
	for (size_t i = 0; i < 8; i++)
		buffer_printf(out, "<th scope=col>p%g", (double)per_mille[i] / 10);
	buffer_text(out, "<th scope=col>most</thead><tbody>");
	for (uint32_t set = 0; set < view->report->set_count; set++) {
		const struct distribution *distribution = of(view->workload, set);
		if (distribution->count == 0)
			continue;
		buffer_text(out, "<tr><th scope=row>");
		report_label(view->report, set, out);
		report_cell_count(out, distribution->count);
		report_cell_duration(out, (double)distribution->least);
		for (size_t i = 0; i < 8; i++)
			report_cell_duration(out, (double)distribution_percentile(distribution, per_mille[i]));
		report_cell_duration(out, (double)distribution->most);
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

struct bins {
	double x[RUN_ACCOUNT_BINS + 1], y[RUN_ACCOUNT_BINS + 1];
};

enum over_time { MIGRATIONS, LOAD };

/* In a run: migrations per second, or how many tasks ran or waited in the mean. */
static size_t fill_bins(const struct run_account *account, enum over_time what, struct bins *bins)
{
	size_t count = 0;

	for (; count < RUN_ACCOUNT_BINS && count * account->bin_ns < account->longest_ns; count++) {
		uint64_t start_ns = count * account->bin_ns;
		/* The last bin is not whole. */
		uint64_t left_ns = account->longest_ns - start_ns;
		double length_ns = (double)(left_ns < account->bin_ns ? left_ns : account->bin_ns) * account->runs;
		bins->x[count] = (double)start_ns;
		bins->y[count] = what == LOAD ? (double)account->load_ns[count] / length_ns
					      : (double)account->bins[count] * 1e9 / length_ns;
	}
	if (count) {
		bins->x[count] = (double)account->longest_ns;
		bins->y[count] = bins->y[count - 1];
		count++;
	}
	return count;
}

static double mean_of(const struct run_account *account, enum over_time what)
{
	double sum = what == LOAD ? 0 : (double)account->migrations;

	for (size_t i = 0; what == LOAD && i < RUN_ACCOUNT_BINS; i++)
		sum += (double)account->load_ns[i] / (double)(account->longest_ns ? account->longest_ns : 1);
	return sum / account->runs;
}

static bool draw_over_time(const struct report_view *view, enum over_time what, const char *y_title,
			   const char *description, struct chart *chart, struct report_words *words)
{
	static const struct chart_axis x = {"time since the first event", CHART_NS, false};
	const struct chart_axis y = {y_title, CHART_NUMBER, false};
	struct chart_series series[REPORT_SETS_MOST];
	struct bins *bins = calloc(view->report->set_count, sizeof(*bins));
	size_t used = 0;
	int length = snprintf(words->description, sizeof(words->description), "%s", description);

	chart->out->failed = chart->out->failed || !bins;
	for (uint32_t set = 0; bins && set < view->report->set_count; set++) {
		const struct report_work *work = view->workload->works[set];
		if (!work || !work->account.runs)
			continue;
		series[used] = (struct chart_series){.name = report_label_text(view->report, set),
						     .colour = set,
						     .x = bins[set].x,
						     .y = bins[set].y,
						     .mark_x = {-1, -1}};
		series[used++].count = fill_bins(&work->account, what, &bins[set]);
		if (length >= 0 && (size_t)length < sizeof(words->description))
			length += snprintf(words->description + length, sizeof(words->description) - (size_t)length,
					   " %s: %.1f%s.", view->report->sets->items[set].label,
					   mean_of(&work->account, what), what == LOAD ? "" : " a run");
	}
	if (used)
		chart_lines(chart, &x, &y, true, series, used);
	free(bins);
	return used;
}

bool report_draw_migrations(const struct report_view *view, struct chart *chart, struct report_words *words)
{
	snprintf(words->title, sizeof(words->title), "Migrations over time");
	return draw_over_time(view, MIGRATIONS, "migrations per second",
			      "Migrations of all tasks between CPUs per second, over time; mean of the runs.", chart,
			      words);
}

bool report_draw_load(const struct report_view *view, struct chart *chart, struct report_words *words)
{
	snprintf(words->title, sizeof(words->title), "Tasks that run or wait for a CPU");
	return draw_over_time(view, LOAD, "tasks",
			      "How many tasks ran or waited for a CPU, over time; mean of the runs. Over all of the "
			      "time:",
			      chart, words);
}

void report_load_table(const struct report_view *view, struct buffer *out)
{
	report_table_begin(out, NULL);
	buffer_text(out, "<th scope=col class=t>set<th scope=col>mean<th scope=col>most<th scope=col>in the mean of"
			 "</thead><tbody>");
	for (uint32_t set = 0; set < view->report->set_count; set++) {
		const struct report_work *work = view->workload->works[set];
		struct bins bins;
		double most = 0;
		if (!work || !work->account.runs)
			continue;
		for (size_t i = fill_bins(&work->account, LOAD, &bins); i--;)
			most = bins.y[i] > most ? bins.y[i] : most;
		buffer_text(out, "<tr><th scope=row>");
		report_label(view->report, set, out);
		buffer_printf(out, "<td>%.1f<td>%.1f", mean_of(&work->account, LOAD), most);
		report_cell_duration(out, (double)work->account.bin_ns);
	}
	report_table_end(out);
}

bool report_draw_matrix(const struct report_view *view, struct chart *chart, struct report_words *words)
{
	enum { MOST = 16 };
	const struct report_work *work = view->workload->works[view->set];
	uint32_t cpus = view->workload->names.cpu_count < MOST ? view->workload->names.cpu_count : MOST;
	uint32_t labels[MOST];
	uint64_t values[MOST * MOST];

	if (!work || cpus < 2 || work->account.migrations == 0)
		return false;
	for (uint32_t from = 0; from < cpus; from++) {
		labels[from] = from;
		for (uint32_t to = 0; to < cpus; to++)
			values[from * cpus + to] = work->account.pairs[from * RUN_ACCOUNT_CPUS + to];
	}
	if (view->report->set_count == 1)
		snprintf(words->title, sizeof(words->title), "Migrations between CPUs");
	else
		snprintf(words->title, sizeof(words->title), "Migrations, %s",
			 view->report->sets->items[view->set].label);
	snprintf(words->description, sizeof(words->description),
		 "How many times a task was moved from one CPU to another, in %u run%s together: %llu.",
		 (unsigned int)work->account.runs, work->account.runs == 1 ? "" : "s",
		 (unsigned long long)work->account.migrations);
	chart_matrix(chart, "from CPU", "to CPU", labels, cpus, values);
	return true;
}
