/* SPDX-License-Identifier: MIT
 *
 * Bar charts: what tasks did with their time, by name and by CPU, and the changes of metrics. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "report/view.h"
#include "trace/comm_table.h"

/* A chart with BARS bars has the height of a sheet of paper. */
enum { NAMES_DRAWN = 8, CPUS_DRAWN = 16, CPU_PARTS = 6, BARS = 40 };

/* Number of items to draw, up to max, each with one bar per set. */
static uint32_t that_fit(const struct report *report, uint32_t max)
{
	return report->set_count * max > BARS ? BARS / report->set_count : max;
}

/* Colours of time uses, different from those of sets. */
static const unsigned int use_colours[TIME_USES] = {2, 4, 3, 8, 6};

bool report_draw_time(const struct report_view *view, struct chart *chart, struct report_words *words)
{
	static const struct chart_axis x = {"share of the tasks' time", CHART_SHARE, false};
	struct chart_bar bars[REPORT_SETS_MAX];
	struct chart_text parts[TIME_USES];
	double values[REPORT_SETS_MAX * TIME_USES], all = 0;
	size_t count = 0;

	for (int use = 0; use < TIME_USES; use++)
		parts[use] = (struct chart_text){report_time_uses[use], strlen(report_time_uses[use])};
	for (uint32_t set = 0; set < view->report->set_count; set++) {
		if (!view->workload->works[set])
			continue;
		bars[count] = (struct chart_bar){report_label_text(view->report, set), 0};
		for (int use = 0; use < TIME_USES; use++)
			all += values[count * TIME_USES + (size_t)use] =
			    (double)report_names_time(&view->workload->names, set, (enum time_use)use);
		count++;
	}
	if (all <= 0)
		return false;
	snprintf(words->title, sizeof(words->title), "How the workload's tasks spent their time");
	snprintf(words->description, sizeof(words->description),
		 "Time of all tasks of the workload together: running, waiting for a CPU after a wakeup or after being "
		 "preempted, and blocked, by share.");
	chart_bars(chart, &x, true, bars, count, parts, use_colours, TIME_USES, values);
	return true;
}

/* Chooses the names to draw: the first that are not idle. */

static size_t drawn_names(const struct report_names *names, size_t max, uint32_t *drawn)
{
	size_t count = 0;

	drawn[0] = 0;
	while (drawn[0] + 1 < names->count && names->names[drawn[0]].is_idle)
		drawn[0]++;
	for (uint32_t i = drawn[0]; i < names->count && count < max; i++) {
		const struct report_name *name = &names->names[i];
		/* Bars too short to be visible are only in the table. */
		if (!name->is_idle && name->total_ns > names->names[drawn[0]].total_ns / 200)
			drawn[count++] = i;
	}
	return count;
}

/* True if tasks of the workload also have this name. */
static bool is_there_twice(const struct report_names *names, const struct report_name *name)
{
	bool found = false;

	for (uint32_t i = 0; i < names->count && !name->is_own; i++)
		found = found || (names->names[i].is_own && comm_equal(&names->names[i].comm, &name->comm));
	return found;
}

bool report_draw_names(const struct report_view *view, struct chart *chart, struct report_words *words)
{
	static const struct chart_axis x = {"time in a run, all tasks of the name together", CHART_NS, false};
	static const struct chart_text parts[] = {{"running", 7}, {"waiting for a CPU", 17}};
	static const unsigned int colours[] = {2, 4};
	struct chart_bar bars[NAMES_DRAWN * REPORT_SETS_MAX];
	double values[NAMES_DRAWN * REPORT_SETS_MAX * 2];
	char labels[NAMES_DRAWN * REPORT_SETS_MAX][96];
	uint32_t drawn[NAMES_DRAWN];
	size_t names = drawn_names(&view->workload->names, that_fit(view->report, NAMES_DRAWN), drawn), count = 0;

	for (size_t i = 0; i < names; i++) {
		const struct report_name *name = &view->workload->names.names[drawn[i]];
		for (uint32_t set = 0; set < view->report->set_count; set++) {
			if (!view->workload->works[set])
				continue;
			const uint64_t *time_ns = name->accounts[set].time_ns;
			double runs = report_runs(view->workload, set);
			const char set_name[] = {' ', (char)('A' + set), '\0'};
			int length =
			    snprintf(labels[count], sizeof(labels[count]), "%.*s%s%s", name->comm.length,
				     name->comm.bytes, is_there_twice(&view->workload->names, name) ? " (other)" : "",
				     view->report->set_count > 1 ? set_name : "");
			bars[count] = (struct chart_bar){{labels[count], (size_t)length}, (unsigned int)i};
			values[2 * count] = (double)time_ns[TIME_RUNNING] / runs;
			values[2 * count + 1] =
			    (double)(time_ns[TIME_AFTER_WAKEUP] + time_ns[TIME_AFTER_PREEMPTION]) / runs;
			count++;
		}
	}
	if (count == 0)
		return false;
	snprintf(words->title, sizeof(words->title), "Time by task name");
	snprintf(words->description, sizeof(words->description),
		 "How long the tasks of the names with the most running time ran and waited for a CPU in a run.");
	chart_bars(chart, &x, false, bars, count, parts, colours, 2, values);
	return true;
}

/* Parts of a CPU's time: the first names, other tasks, idle. */
static void cpu_parts(const struct report_view *view, uint32_t set, uint32_t cpu, const uint32_t *drawn, size_t names,
		      double *values)
{
	double uses[3];

	report_cpu_uses(view->workload, set, cpu, uses);
	values[names] = uses[0] + uses[1];
	values[names + 1] = uses[2];
	for (size_t i = 0; i < names; i++) {
		const struct name_account *account = &view->workload->names.names[drawn[i]].accounts[set];
		values[i] = (double)name_account_cpu(account, cpu) / report_runs(view->workload, set);
		values[names] -= values[i];
	}
	values[names] = values[names] < 0 ? 0 : values[names];
}

bool report_draw_cpus(const struct report_view *view, struct chart *chart, struct report_words *words)
{
	static const struct chart_axis x = {"share of the CPU's time", CHART_SHARE, false};
	struct chart_bar bars[CPUS_DRAWN * REPORT_SETS_MAX];
	char labels[CPUS_DRAWN * REPORT_SETS_MAX][32];
	struct chart_text parts[CPU_PARTS];
	unsigned int colours[CPU_PARTS];
	double values[CPUS_DRAWN * REPORT_SETS_MAX * CPU_PARTS];
	uint32_t drawn[CPU_PARTS];
	size_t names = drawn_names(&view->workload->names, CPU_PARTS - 2, drawn), count = 0;
	uint32_t shown = that_fit(view->report, CPUS_DRAWN);

	for (size_t i = 0; i < names; i++) {
		parts[i] = report_comm_text(&view->workload->names.names[drawn[i]].comm);
		colours[i] = report_name_colour((uint32_t)i);
	}
	parts[names] = (struct chart_text){"other tasks", 11};
	colours[names] = report_name_colour(REPORT_NAME_COLOURS);
	parts[names + 1] = (struct chart_text){"idle", 4};
	colours[names + 1] = 8;
	for (uint32_t cpu = 0; cpu < view->workload->names.cpu_count && cpu < shown; cpu++) {
		for (uint32_t set = 0; set < view->report->set_count; set++) {
			if (!view->workload->works[set])
				continue;
			int length = view->report->set_count > 1
					 ? snprintf(labels[count], sizeof(labels[count]), "CPU %u %c",
						    (unsigned int)cpu, 'A' + (int)set)
					 : snprintf(labels[count], sizeof(labels[count]), "CPU %u", (unsigned int)cpu);
			bars[count] = (struct chart_bar){{labels[count], (size_t)length}, cpu};
			cpu_parts(view, set, cpu, drawn, names, values + count * (names + 2));
			count++;
		}
	}
	if (count == 0)
		return false;
	snprintf(words->title, sizeof(words->title), "Time by CPU");
	if (view->workload->names.cpu_count > shown)
		snprintf(words->title, sizeof(words->title), "Time by CPU, the first %u", (unsigned int)shown);
	snprintf(words->description, sizeof(words->description),
		 "Share of each CPU's time, for the names with the most running time.");
	chart_bars(chart, &x, true, bars, count, parts, colours, names + 2, values);
	return true;
}

bool report_draw_changes(const struct report *report, uint32_t set, const struct metric *metric, struct chart *chart,
			 struct report_words *words)
{
	enum { ROWS_MAX = 40 };
	static const char letters[VERDICTS] = {
	    [VERDICT_UNCLEAR] = 'u', [VERDICT_NEGLIGIBLE] = 'n', [VERDICT_EQUAL] = 'e',
	    [VERDICT_BETTER] = 'b',  [VERDICT_WORSE] = 'w',      [VERDICT_DIFFERENT] = 'd',
	};
	struct chart_interval intervals[ROWS_MAX];
	size_t count = 0;

	for (size_t i = 0; i < report->rows.workload_count && count < ROWS_MAX; i++) {
		const struct comparison_row *row =
		    comparison_find_row(&report->rows, &report->rows.workloads[i], metric);
		const struct comparison *against = row ? &row->cells[set].against : NULL;
		if (!row || against->verdict <= VERDICT_TOO_FEW || !against->is_percent)
			continue;
		const char *name = report->rows.workloads[i].name;
		intervals[count++] = (struct chart_interval){
		    {name, strlen(name)}, against->change, against->low, against->high, letters[against->verdict]};
	}
	if (count == 0)
		return false;
	const char *heading = metric->heading;
	bool is_small = heading[0] >= 'a';
	snprintf(words->title, sizeof(words->title), "%c%s", is_small ? heading[0] - 'a' + 'A' : heading[0],
		 heading + 1);
	if (report->set_count > 2)
		report_title_set(report, set, CHART_TITLE, words->title);
	snprintf(words->description, sizeof(words->description),
		 "Change of %s from %s to %s in percent, with its 95 %% interval, for each workload.", metric->heading,
		 report->sets.items[0].label, report->sets.items[set].label);
	chart_intervals(chart, "change in percent, 95 % interval", intervals, count);
	return true;
}
