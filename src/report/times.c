/* SPDX-License-Identifier: MIT
 *
 * What tasks did with their time, by name and by CPU: bar charts and tables. All values are of one run: means over the
 * runs of a set. */
#include <stdio.h>

#include "report/view.h"
#include "trace/comm_table.h"

/* A chart with BARS bars has the height of a sheet of paper. */
enum { NAMES_DRAWN = 8, CPUS_DRAWN = 16, CPU_PARTS = 6, BARS = 40, NAMES_SHOWN = 12, CPUS_SHOWN = 32 };

/* Number of items to draw, up to max, each with one bar per set. */
static uint32_t that_fit(const struct report *report, uint32_t max)
{
	return report->set_count * max > BARS ? BARS / report->set_count : max;
}

static const char *const use_names[TIME_USES] = {"running", "waiting after wakeup", "waiting after preemption",
						 "blocked (S)", "blocked (D)"};

/* Colours of time uses, different from those of sets. */
static const unsigned int use_colours[TIME_USES] = {2, 4, 3, 8, 6};

static bool draw_time(const struct report_view *view, struct chart *chart)
{
	static const struct chart_axis x = {"share of the tasks' time", CHART_SHARE, false};
	struct chart_bar bars[REPORT_SETS_MAX];
	struct chart_text parts[TIME_USES];
	double values[REPORT_SETS_MAX * TIME_USES], all = 0;
	size_t count = 0;

	for (int use = 0; use < TIME_USES; use++)
		parts[use] = chart_string(use_names[use]);
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
	snprintf(chart->title, sizeof(chart->title), "How the workload's tasks spent their time");
	snprintf(chart->description, sizeof(chart->description),
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

static bool draw_names(const struct report_view *view, struct chart *chart)
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
	snprintf(chart->title, sizeof(chart->title), "Time by task name");
	snprintf(chart->description, sizeof(chart->description),
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

static bool draw_cpus(const struct report_view *view, struct chart *chart)
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
	snprintf(chart->title, sizeof(chart->title), "Time by CPU");
	if (view->workload->names.cpu_count > shown)
		snprintf(chart->title, sizeof(chart->title), "Time by CPU, the first %u", (unsigned int)shown);
	snprintf(chart->description, sizeof(chart->description),
		 "Share of each CPU's time, for the names with the most running time.");
	chart_bars(chart, &x, true, bars, count, parts, colours, names + 2, values);
	return true;
}

static void write_time_table(const struct report_view *view, struct buffer *out)
{
	const struct report *report = view->report;
	const struct report_workload *workload = view->workload;
	report_table_begin(out, NULL);
	buffer_text(out, "<th scope=col class=t>set");
	for (int use = 0; use < TIME_USES; use++)
		buffer_printf(out, "<th scope=col colspan=2>%s", use_names[use]);
	buffer_text(out, "</thead><tbody>");
	for (uint32_t set = 0; set < report->set_count; set++) {
		double uses[TIME_USES], all = 0;
		if (!workload->works[set])
			continue;
		for (int use = 0; use < TIME_USES; use++)
			all += uses[use] = (double)report_names_time(&workload->names, set, (enum time_use)use) /
					   report_runs(workload, set);
		buffer_text(out, "<tr><th scope=row>");
		report_label(report, set, out);
		for (int use = 0; use < TIME_USES; use++) {
			report_cell_duration(out, uses[use]);
			report_cell_share(out, uses[use], all);
		}
	}
	report_table_end(out);
}

/* A range of sets shown side by side; a page does not have room for all sets. */
struct beside {
	uint32_t from, to;
};

/* Starts after {0}; false after the last. */
static bool next_beside(const struct report *report, struct beside *sets)
{
	enum { BESIDE = 3 };

	sets->from = sets->to;
	sets->to = report->set_count - sets->from > BESIDE ? sets->from + BESIDE : report->set_count;
	return sets->from < sets->to;
}

/* The start of a table: "CPU", then headings such as "idle" with a column per set. */
static void begin_beside(const struct report *report, struct beside sets, const char *first,
			 const char *const *headings, size_t count, struct buffer *out)
{
	bool is_one = report->set_count == 1;

	report_table_begin(out, sets.to - sets.from > 2 ? "many" : NULL);
	buffer_printf(out, "<th scope=col%s class=t>%s", is_one ? "" : " rowspan=2", first);
	for (size_t i = 0; i < count; i++)
		buffer_printf(out, "<th scope=colgroup colspan=%u>%s", (unsigned int)(sets.to - sets.from),
			      headings[i]);
	buffer_text(out, is_one ? "" : "<tr>");
	for (size_t i = is_one ? count : 0; i < count; i++)
		for (uint32_t set = sets.from; set < sets.to; set++) {
			buffer_text(out, "<th scope=col>");
			report_tag(report, set, out);
		}
	buffer_text(out, "</thead><tbody>");
}

static double of_run(const struct report_workload *workload, uint32_t set, uint64_t ns)
{
	return (double)ns / report_runs(workload, set);
}

static void add_name_row(const struct report_workload *workload, const struct report_name *name, struct beside sets,
			 struct buffer *out)
{
	buffer_printf(out, "<tr><th scope=row>");
	report_comm(out, &name->comm);
	if (name->is_kernel)
		buffer_text(out, " <span class=dim>kernel</span>");
	else if (!name->is_own)
		buffer_text(out, " <span class=dim>other</span>");
	for (uint32_t set = sets.from; set < sets.to; set++) {
		double tasks = name->accounts[set].tasks / report_runs(workload, set);
		buffer_printf(out, "<td>%.*f", tasks == (double)(uint64_t)tasks ? 0 : 1, tasks);
	}
	for (int kind = 0; kind < 3; kind++) {
		for (uint32_t set = sets.from; set < sets.to; set++) {
			const uint64_t *time_ns = name->accounts[set].time_ns;
			uint64_t ns = kind == 0   ? time_ns[TIME_RUNNING]
				      : kind == 1 ? time_ns[TIME_AFTER_WAKEUP] + time_ns[TIME_AFTER_PREEMPTION]
						  : time_ns[TIME_BLOCKED] + time_ns[TIME_UNINTERRUPTIBLE];
			report_cell_duration(out, of_run(workload, set, ns));
		}
	}
}

static void write_name_table(const struct report_view *view, struct buffer *out)
{
	static const char *const headings[] = {"tasks", "running", "waiting", "blocked"};
	const struct report_names *names = &view->workload->names;
	struct beside sets = {0};
	uint32_t left_out = 0;

	while (next_beside(view->report, &sets)) {
		uint32_t shown = 0;
		left_out = 0;
		begin_beside(view->report, sets, "task name", headings, 4, out);
		for (uint32_t i = 0; i < names->count; i++) {
			if (names->names[i].is_idle)
				continue;
			if (shown++ < NAMES_SHOWN)
				add_name_row(view->workload, &names->names[i], sets, out);
			else
				left_out++;
		}
		report_table_end(out);
	}
	if (left_out)
		buffer_printf(out, "<p class=\"dim small\">%u more names with less running time are not shown.\n",
			      (unsigned int)left_out);
}

static void write_cpu_table(const struct report_view *view, struct buffer *out)
{
	const struct report_workload *workload = view->workload;
	static const char *const headings[] = {"the workload", "other tasks", "idle"};
	struct beside sets = {0};

	while (next_beside(view->report, &sets)) {
		begin_beside(view->report, sets, "CPU", headings, 3, out);
		for (uint32_t cpu = 0; cpu < workload->names.cpu_count && cpu < CPUS_SHOWN; cpu++) {
			buffer_printf(out, "<tr><th scope=row>%u", (unsigned int)cpu);
			for (uint32_t i = 0, count = sets.to - sets.from; i < 3 * count; i++) {
				double uses[3];
				report_cpu_uses(workload, sets.from + i % count, cpu, uses);
				report_cell_duration(out, uses[i / count]);
			}
		}
		report_table_end(out);
	}
}

const struct report_chart report_times[] = {
    {"time", false, false, 0, 0, draw_time, write_time_table},
    {"cpus", false, false, 0, 0, draw_cpus, write_cpu_table},
    {"names", false, false, 0, 0, draw_names, write_name_table},
    {.name = NULL},
};
