/* SPDX-License-Identifier: MIT
 *
 * Migrations over time, of all sets or by cause; the load over time; migrations between pairs of CPUs. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "report/html.h"
#include "report/view.h"

struct bins {
	double x[RUN_ACCOUNT_BINS + 1], y[RUN_ACCOUNT_BINS + 1];
};

/* What is drawn over time: migrations of one cause, of all causes, or the number of tasks that run or wait. */
enum { OVER_TIME_ALL = MIGRATION_CAUSES, OVER_TIME_LOAD };

static uint64_t migrations_in(const struct run_account *account, unsigned int what, size_t bin)
{
	uint64_t sum = 0;

	for (unsigned int cause = 0; cause < MIGRATION_CAUSES; cause++)
		if (what == OVER_TIME_ALL || what == cause)
			sum += account->bins[cause][bin];
	return sum;
}

/* Per run: migrations per second, or the mean number of tasks that ran or waited. */
static size_t fill_bins(const struct run_account *account, unsigned int what, struct bins *bins)
{
	size_t count = 0;

	for (; count < RUN_ACCOUNT_BINS && count * account->bin_ns < account->longest_ns; count++) {
		uint64_t start_ns = count * account->bin_ns;
		/* The last bin is incomplete. */
		uint64_t left_ns = account->longest_ns - start_ns;
		double length_ns = (double)(left_ns < account->bin_ns ? left_ns : account->bin_ns) * account->runs;
		bins->x[count] = (double)start_ns;
		bins->y[count] = what == OVER_TIME_LOAD ? (double)account->load_ns[count] / length_ns
							: (double)migrations_in(account, what, count) * 1e9 / length_ns;
	}
	if (count) {
		bins->x[count] = (double)account->longest_ns;
		bins->y[count] = bins->y[count - 1];
		count++;
	}
	return count;
}

static double mean_of(const struct run_account *account, unsigned int what)
{
	double sum = what == OVER_TIME_LOAD ? 0 : (double)account->migrations;

	for (size_t i = 0; what == OVER_TIME_LOAD && i < RUN_ACCOUNT_BINS; i++)
		sum += (double)account->load_ns[i] / (double)(account->longest_ns ? account->longest_ns : 1);
	return sum / account->runs;
}

static const struct chart_axis time_axis = {"time since the first event", CHART_NS, false};
static const struct chart_axis migration_axis = {"migrations per second", CHART_NUMBER, false};

/* A line for each set. */
static bool draw_lines(const struct report_view *view, unsigned int what, const struct chart_axis *y,
		       const char *description, struct chart *chart)
{
	struct chart_series series[REPORT_SETS_MAX];
	struct bins *bins = xcalloc(view->report->set_count, sizeof(*bins));
	size_t used = 0;
	int length = snprintf(chart->description, sizeof(chart->description), "%s", description);

	for (uint32_t set = 0; set < view->report->set_count; set++) {
		const struct report_work *work = view->workload->works[set];
		if (!work || !work->account.runs)
			continue;
		series[used] = (struct chart_series){.name = report_label_text(view->report, set),
						     .colour = set,
						     .x = bins[set].x,
						     .y = bins[set].y,
						     .mark_x = {-1, -1}};
		series[used++].count = fill_bins(&work->account, what, &bins[set]);
		if (length >= 0 && (size_t)length < sizeof(chart->description))
			length += snprintf(chart->description + length, sizeof(chart->description) - (size_t)length,
					   " %s: %.1f%s.", view->report->sets.items[set].label,
					   mean_of(&work->account, what), what == OVER_TIME_LOAD ? "" : " a run");
	}
	if (used)
		chart_lines(chart, &time_axis, y, true, series, used);
	free(bins);
	return used;
}

/* Causes that occur in any set, by number, descending. Causes without a separate colour are last. */
struct causes {
	unsigned int items[MIGRATION_CAUSES];
	uint64_t counts[MIGRATION_CAUSES]; /* over all sets */
	size_t count;
};

static struct causes causes_of(const struct report_view *view)
{
	struct causes causes = {0};

	for (unsigned int cause = 0; cause < MIGRATION_CAUSES; cause++) {
		uint64_t count = 0;
		for (uint32_t set = 0; set < view->report->set_count; set++)
			count += view->workload->works[set] ? view->workload->works[set]->causes[cause] : 0;
		if (count == 0)
			continue;
		size_t at = causes.count++;
		for (; at > 0 && causes.counts[at - 1] < count; at--) {
			causes.items[at] = causes.items[at - 1];
			causes.counts[at] = causes.counts[at - 1];
		}
		causes.items[at] = cause;
		causes.counts[at] = count;
	}
	return causes;
}

/* The colour of a cause, the same in all charts; rare causes share the last colour. */
static unsigned int cause_colour(unsigned int cause)
{
	static const uint8_t colours[MIGRATION_CAUSES] = {
	    [MIGRATION_WAKEUP] = 2,   [MIGRATION_FORK] = 3, [MIGRATION_PULL] = 4,
	    [MIGRATION_ACTIVE] = 6,   [MIGRATION_SELF] = 7, [MIGRATION_EXEC] = 5,
	    [MIGRATION_AFFINITY] = 0, [MIGRATION_NUMA] = 1, [MIGRATION_DISPATCH] = 1};

	return colours[cause] || cause == MIGRATION_AFFINITY ? colours[cause] : CHART_COLOURS;
}

/* One set: a line per cause. */
static bool draw_causes_over_time(const struct report_view *view, const struct report_work *work, struct chart *chart)
{
	const struct causes causes = causes_of(view);
	struct chart_series series[MIGRATION_CAUSES];
	struct bins *bins = xcalloc(MIGRATION_CAUSES, sizeof(*bins));

	for (size_t i = 0; i < causes.count; i++) {
		series[i] = (struct chart_series){
		    .name = chart_string(migration_cause_name((enum migration_cause)causes.items[i])),
		    .colour = cause_colour(causes.items[i]),
		    .x = bins[i].x,
		    .y = bins[i].y,
		    .mark_x = {-1, -1}};
		series[i].count = fill_bins(&work->account, causes.items[i], &bins[i]);
	}
	if (causes.count)
		chart_lines(chart, &time_axis, &migration_axis, true, series, causes.count);
	free(bins);
	return causes.count;
}

static bool draw_causes(const struct report_view *view, struct chart *chart)
{
	static const struct chart_axis x = {"migrations in a run", CHART_NUMBER, false};
	const struct causes causes = causes_of(view);
	struct chart_bar bars[REPORT_SETS_MAX];
	struct chart_text parts[MIGRATION_CAUSES];
	unsigned int colours[MIGRATION_CAUSES];
	double values[REPORT_SETS_MAX * MIGRATION_CAUSES];
	size_t count = 0;

	for (size_t i = 0; i < causes.count; i++) {
		parts[i] = chart_string(migration_cause_name((enum migration_cause)causes.items[i]));
		colours[i] = cause_colour(causes.items[i]);
	}
	for (uint32_t set = 0; set < view->report->set_count; set++) {
		const struct report_work *work = view->workload->works[set];
		if (!work)
			continue;
		bars[count] = (struct chart_bar){report_label_text(view->report, set), 0};
		for (size_t i = 0; i < causes.count; i++)
			values[count * causes.count + i] =
			    (double)work->causes[causes.items[i]] / report_runs(view->workload, set);
		count++;
	}
	if (causes.count == 0)
		return false;
	snprintf(chart->title, sizeof(chart->title), "Migrations by cause");
	snprintf(chart->description, sizeof(chart->description),
		 "How often tasks of any workload were moved to another CPU in a run, by cause.");
	chart_bars(chart, &x, false, bars, count, parts, colours, causes.count, values);
	return true;
}

static bool draw_over_time(const struct report_view *view, struct chart *chart)
{
	static const struct chart_axis tasks = {"tasks", CHART_NUMBER, false};
	const struct report_work *work = view->workload->works[0];

	snprintf(chart->title, sizeof(chart->title), "%s",
		 view->item == OVER_TIME_LOAD ? "Tasks that run or wait for a CPU" : "Migrations over time");
	if (view->item == OVER_TIME_LOAD)
		return draw_lines(view, OVER_TIME_LOAD, &tasks,
				  "How many tasks ran or waited for a CPU, over time; mean of the runs. Over all "
				  "of the time:",
				  chart);
	if (view->report->set_count > 1 || !work || work->account.migrations == 0)
		return draw_lines(view, OVER_TIME_ALL, &migration_axis,
				  "Migrations of all tasks between CPUs per second, over time; mean of the runs.",
				  chart);
	snprintf(chart->description, sizeof(chart->description),
		 "Migrations of all tasks between CPUs per second, over time, by cause; mean of the runs. %.1f a run.",
		 mean_of(&work->account, OVER_TIME_ALL));
	return draw_causes_over_time(view, work, chart);
}

static void write_over_time_table(const struct report_view *view, struct buffer *out)
{
	const unsigned int what = view->item;

	report_table_begin(out, NULL);
	buffer_printf(out,
		      "<th scope=col class=t>set<th scope=col>%s<th scope=col>max<th scope=col>per interval of"
		      "</thead><tbody>",
		      what == OVER_TIME_LOAD ? "mean" : "in a run");
	for (uint32_t set = 0; set < view->report->set_count; set++) {
		const struct report_work *work = view->workload->works[set];
		struct bins bins;
		double max = 0;
		if (!work || !work->account.runs)
			continue;
		for (size_t i = fill_bins(&work->account, what, &bins); i--;)
			max = bins.y[i] > max ? bins.y[i] : max;
		buffer_text(out, "<tr><th scope=row>");
		report_label(view->report, set, out);
		buffer_printf(out, "<td>%.1f<td>%.1f%s", mean_of(&work->account, what), max,
			      what == OVER_TIME_LOAD ? "" : "/s");
		report_cell_duration(out, (double)work->account.bin_ns);
	}
	report_table_end(out);
}

static bool draw_matrix(const struct report_view *view, struct chart *chart)
{
	enum { CPUS_MAX = 16 };
	const struct report_work *work = view->workload->works[view->set];
	uint32_t cpus = view->workload->names.cpu_count < CPUS_MAX ? view->workload->names.cpu_count : CPUS_MAX;
	uint32_t labels[CPUS_MAX];
	uint64_t values[CPUS_MAX * CPUS_MAX];

	if (!work || cpus < 2 || work->account.migrations == 0)
		return false;
	for (uint32_t from = 0; from < cpus; from++) {
		labels[from] = from;
		for (uint32_t to = 0; to < cpus; to++)
			values[from * cpus + to] = work->account.pairs[from * RUN_ACCOUNT_CPUS + to];
	}
	snprintf(chart->title, sizeof(chart->title), "Migrations%s",
		 view->report->set_count == 1 ? " between CPUs" : "");
	report_title_set(view->report, view->set, CHART_TITLE, chart->title);
	snprintf(chart->description, sizeof(chart->description),
		 "How often a task was moved from one CPU to another, in %u run%s together: %llu.",
		 (unsigned int)work->account.runs, work->account.runs == 1 ? "" : "s",
		 (unsigned long long)work->account.migrations);
	chart_matrix(chart, "from CPU", "to CPU", labels, cpus, values);
	return true;
}

static void write_matrix_table(const struct report_view *view, struct buffer *out)
{
	enum { BESIDE = 16, CPUS_TABLE = 32 };
	const struct report_workload *workload = view->workload;
	const struct run_account *account = &workload->works[view->set]->account;
	uint32_t cpus = workload->names.cpu_count < CPUS_TABLE ? workload->names.cpu_count : CPUS_TABLE;

	for (uint32_t begin = 0; begin < cpus; begin += BESIDE) {
		uint32_t end = cpus - begin > BESIDE ? begin + BESIDE : cpus;
		report_table_begin(out, NULL);
		buffer_text(out, "<th scope=col>from CPU");
		for (uint32_t to = begin; to < end; to++)
			buffer_printf(out, "<th scope=col>to %u", (unsigned int)to);
		buffer_text(out, "</thead><tbody>");
		for (uint32_t from = 0; from < cpus; from++) {
			buffer_printf(out, "<tr><th scope=row>%u", (unsigned int)from);
			for (uint32_t to = begin; to < end; to++)
				report_cell_count(out, account->pairs[from * RUN_ACCOUNT_CPUS + to]);
		}
		report_table_end(out);
	}
}

static void write_cause_table(const struct report_view *view, struct buffer *out)
{
	const struct report *report = view->report;
	const struct report_workload *workload = view->workload;

	report_table_begin(out, NULL);
	buffer_text(out, "<th scope=col class=t>cause");
	for (uint32_t set = 0; set < report->set_count; set++)
		report_set_heading(report, set, "", out);
	buffer_text(out, "</thead><tbody>");
	for (int cause = 0; cause <= MIGRATION_CAUSES; cause++) {
		uint64_t counts[REPORT_SETS_MAX], all = 0;
		for (uint32_t set = 0; set < report->set_count; set++) {
			const struct report_work *work = workload->works[set];
			counts[set] = !work                       ? 0
				      : cause == MIGRATION_CAUSES ? work->account.migrations
								  : work->causes[cause];
			all += counts[set];
		}
		if (all == 0 && cause < MIGRATION_CAUSES)
			continue;
		buffer_printf(out, "<tr><th scope=row>%s",
			      cause == MIGRATION_CAUSES ? "all" : migration_cause_name((enum migration_cause)cause));
		for (uint32_t set = 0; set < report->set_count; set++)
			report_cell_count(out, counts[set]);
	}
	report_table_end(out);
}

const struct report_chart report_migrations[] = {
    {"tasks", false, false, OVER_TIME_LOAD, 0, draw_over_time, write_over_time_table},
    {"migrations", false, false, OVER_TIME_ALL, 0, draw_over_time, write_over_time_table},
    {"causes", false, false, 0, 0, draw_causes, write_cause_table},
    {"matrix", true, false, 0, 0, draw_matrix, write_matrix_table},
    {.name = NULL},
};
