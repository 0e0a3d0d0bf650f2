/* SPDX-License-Identifier: MIT
 *
 * All charts of a report: on the page, or each in a separate file. */
#include <math.h>
#include <stdio.h>

#include "base/file.h"
#include "base/output_stream.h"
#include "report/sections.h"
#include "report/view.h"

/* In page order. Charts that are not wide are placed in pairs. */
static const struct report_chart *const chart_tables[] = {report_curves, report_timelines};
enum { CHART_TABLES = sizeof(chart_tables) / sizeof(*chart_tables) };

/* The name of a chart, such as "wakeup", "timeline-2", "wait-2-1". */
static void chart_name(const struct report_chart *chart, const struct report_view *view, char *name, size_t size)
{
	int length = snprintf(name, size, "%s", chart->name);

	if (chart->per_set)
		length += snprintf(name + length, size - (size_t)length, "-%u", (unsigned int)view->set + 1);
	if (chart->items)
		snprintf(name + length, size - (size_t)length, "-%u", (unsigned int)view->item + 1);
}

/* Advances from the first view, which is of set 0; false after the last view. */
static bool next_view(const struct report_chart *kind, struct report_view *view)
{
	if (kind->items && ++view->item < kind->items)
		return true;
	view->item = kind->item;
	return kind->per_set && ++view->set < view->report->set_count;
}

static void add_figure(const struct report_chart *kind, const struct report_view *view, size_t number,
		       struct buffer *out)
{
	struct chart chart = {.out = out};
	char name[32];
	size_t before = out->length;

	chart_name(kind, view, name, sizeof(name));
	snprintf(chart.id, sizeof(chart.id), "w%zu-%s", number, name);
	buffer_printf(out, "<figure%s><div class=scroll>", kind->is_wide ? " class=wide" : "");
	if (!kind->draw(view, &chart)) {
		out->length = before;
		return;
	}
	buffer_text(out, "</div>");
	if (kind->write_table) {
		buffer_text(out, "<details class=f><summary>Values</summary>");
		kind->write_table(view, out);
		buffer_text(out, "</details>");
	}
	buffer_text(out, "</figure>\n");
}

/* Draws the changes of one metric in all workloads, for one set against the first. */
static bool draw_changes(const struct report *report, uint32_t set, const struct metric *metric, struct chart *chart)
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
		intervals[count++] =
		    (struct chart_interval){chart_string(report->rows.workloads[i].name), against->change, against->low,
					    against->high, letters[against->verdict]};
	}
	if (count == 0)
		return false;
	const char *heading = metric->heading;
	/* Names of metrics are not changed to capitals. */
	bool is_small = heading[0] >= 'a' && strcmp(heading, metric->name) != 0;
	snprintf(chart->id, sizeof(chart->id), "%s-%u", metric->name, (unsigned int)set + 1);
	snprintf(chart->title, sizeof(chart->title), "%c%s", is_small ? heading[0] - 'a' + 'A' : heading[0],
		 heading + 1);
	if (report->set_count > 2)
		report_title_set(report, set, CHART_TITLE, chart->title);
	snprintf(chart->description, sizeof(chart->description),
		 "Change of %s from %s to %s in percent, with its 95 %% interval, for each workload.", metric->heading,
		 report->sets.items[0].label, report->sets.items[set].label);
	chart_intervals(chart, "change in percent, 95 % interval", intervals, count);
	return true;
}

void report_change_charts(const struct report *report, struct buffer *out)
{
	buffer_text(out, "<div class=pair>");
	for (uint32_t set = 1; set < report->set_count; set++)
		for (size_t i = 0; i < report->column_count; i++) {
			struct chart chart = {.out = out};
			size_t before = out->length;
			buffer_text(out, "<figure><div class=scroll>");
			if (draw_changes(report, set, report->columns[i], &chart))
				buffer_text(out, "</div></figure>\n");
			else
				out->length = before;
		}
	buffer_text(out, "</div>\n");
}

/* Adds all charts of one kind. */
static void add_charts(const struct report_chart *kind, const struct report *report,
		       const struct report_workload *workload, size_t number, struct buffer *out)
{
	struct report_view view = {.report = report, .workload = workload, .item = kind->item};

	buffer_text(out, kind->is_wide ? "</div>" : "");
	if (kind->items) {
		buffer_text(
		    out, "<h4>The longest waits for a CPU</h4>"
			 "<p class=\"dim small\">From whole runs, including the parts that the metrics leave out.\n");
		report_wait_table(report, workload, number, out);
		buffer_text(out, "<details class=f><summary>Timelines around these waits</summary>");
	}
	do
		add_figure(kind, &view, number, out);
	while (next_view(kind, &view));
	if (kind->items) {
		buffer_text(out, "</details>");
		report_pair_tables(report, workload, out);
	}
	buffer_text(out, kind->is_wide ? "<div class=pair>" : "");
}

void report_charts(const struct report *report, const struct report_workload *workload, size_t number,
		   struct buffer *out)
{
	buffer_text(out, "<div class=pair>");
	for (size_t i = 0; i < CHART_TABLES; i++)
		for (const struct report_chart *kind = chart_tables[i]; kind->name; kind++)
			add_charts(kind, report, workload, number, out);
	buffer_text(out, "</div>\n");
}

/* DIRECTORY/WORKLOAD-NAME.svg. A workload's name may be any file name. */
static enum status write_chart(const char *directory, const char *workload, size_t number, const struct chart *chart,
			       struct error *err)
{
	char file[256];
	char path[4096];
	size_t length = 0;
	bool is_plain = true;

	for (const char *at = workload; *at && length < 128; at++) {
		bool is_safe = (*at >= 'a' && *at <= 'z') || (*at >= 'A' && *at <= 'Z') || (*at >= '0' && *at <= '9') ||
			       *at == '_' || *at == '-' || (*at == '.' && length);
		is_plain = is_plain && is_safe;
		file[length++] = is_safe ? *at : '_';
	}
	if (!is_plain)
		length += (size_t)snprintf(file + length, sizeof(file) - length, "-%zu", number);
	snprintf(file + length, sizeof(file) - length, "-%s.svg", chart->id);
	enum status status = file_join(path, sizeof(path), directory, file, err);
	return status == STATUS_OK ? output_write(path, chart->out->data, chart->out->length, err) : status;
}

static enum status write_changes(const struct report *report, const char *directory, struct buffer *out,
				 struct error *err)
{
	enum status status = STATUS_OK;

	for (uint32_t set = 1; set < report->set_count; set++)
		for (size_t i = 0; i < report->column_count && status == STATUS_OK; i++) {
			struct chart chart = {.out = out, .alone = true};
			buffer_clear(out);
			if (draw_changes(report, set, report->columns[i], &chart))
				status = write_chart(directory, "comparison", 0, &chart, err);
		}
	return status;
}

static enum status write_charts(const struct report_chart *kind, const struct report *report, size_t number,
				const char *directory, struct buffer *out, struct error *err)
{
	const struct report_workload *workload = &report->workloads[number];
	struct report_view view = {.report = report, .workload = workload, .item = kind->item};
	enum status status = STATUS_OK;

	do {
		struct chart chart = {.out = out, .alone = true};
		chart_name(kind, &view, chart.id, sizeof(chart.id));
		buffer_clear(out);
		if (kind->draw(&view, &chart))
			status = write_chart(directory, workload->compared->name, number, &chart, err);
	} while (status == STATUS_OK && next_view(kind, &view));
	return status;
}

enum status report_charts_write(const struct report *report, const char *directory, struct error *err)
{
	struct buffer out = {0};
	enum status status = file_make_directories(directory, err);

	if (status == STATUS_OK)
		status = write_changes(report, directory, &out, err);
	for (size_t number = 0; number < report->rows.workload_count; number++)
		for (size_t i = 0; i < CHART_TABLES; i++)
			for (const struct report_chart *kind = chart_tables[i]; kind->name && status == STATUS_OK;
			     kind++)
				status = write_charts(kind, report, number, directory, &out, err);
	buffer_free(&out);
	return status;
}
