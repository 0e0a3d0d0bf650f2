/* SPDX-License-Identifier: MIT */
#include "report/charts.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/file.h"
#include "base/output_stream.h"
#include "report/view.h"

struct report_chart {
	const char *name; /* part of its file name and id, such as "wakeup" */
	bool per_set;     /* one for each set */
	bool is_wide;
	uint32_t item;  /* of its view */
	uint32_t items; /* one for each of the longest waits of each set; folded; 0: not so */
	bool (*draw)(const struct report_view *view, struct chart *chart, struct report_words *words);
	/* Writes its values as a table. */
	void (*write_table)(const struct report_view *view, struct buffer *out);
};

/* In page order; two charts that are not wide are side by side. */
static const struct report_chart charts[] = {
    {"wakeup", false, false, RUN_WAKEUPS, 0, report_draw_curves, report_curve_table},
    {"preempted", false, false, RUN_PREEMPTED, 0, report_draw_curves, report_curve_table},
    {"overtaken", false, false, RUN_OVERTAKEN, 0, report_draw_curves, report_curve_table},
    {"slices", false, false, RUN_SLICES, 0, report_draw_curves, report_curve_table},
    {"timeline", true, true, 0, 0, report_draw_timeline, report_timeline_table},
    {"wait", true, true, 0, REPORT_WAITS, report_draw_wait, NULL},
    {"time", false, false, 0, 0, report_draw_time, report_time_table},
    {"cpus", false, false, 0, 0, report_draw_cpus, report_cpu_table},
    {"names", false, false, 0, 0, report_draw_names, report_name_table},
    {"tasks", false, false, OVER_TIME_LOAD, 0, report_draw_over_time, report_over_time_table},
    {"migrations", false, false, OVER_TIME_ALL, 0, report_draw_over_time, report_over_time_table},
    {"causes", false, false, 0, 0, report_draw_causes, report_cause_table},
    {"matrix", true, false, 0, 0, report_draw_matrix, report_matrix_table},
};

enum { CHARTS = sizeof(charts) / sizeof(*charts) };

/* "wakeup", "timeline-2", "wait-2-1" */
static void chart_name(const struct report_chart *chart, const struct report_view *view, char *name, size_t size)
{
	int length = snprintf(name, size, "%s", chart->name);

	if (chart->per_set)
		length += snprintf(name + length, size - (size_t)length, "-%u", (unsigned int)view->set + 1);
	if (chart->items)
		snprintf(name + length, size - (size_t)length, "-%u", (unsigned int)view->item + 1);
}

/* After the first view, of set 0; false after the last. */
static bool next_view(const struct report_chart *kind, struct report_view *view)
{
	if (kind->items && ++view->item < kind->items)
		return true;
	view->item = kind->item;
	return kind->per_set && ++view->set < view->report->set_count;
}

static bool draw_chart(const struct report_chart *kind, const struct report_view *view, const char *id, bool alone,
		       struct buffer *out)
{
	struct report_words words = {"", ""};
	struct chart chart = {
	    .out = out, .id = id, .title = words.title, .description = words.description, .alone = alone};

	return kind->draw(view, &chart, &words);
}

static void add_figure(const struct report_chart *kind, const struct report_view *view, size_t number,
		       struct buffer *out)
{
	char name[32], id[64];
	size_t before = out->length;

	chart_name(kind, view, name, sizeof(name));
	snprintf(id, sizeof(id), "w%zu-%s", number, name);
	buffer_printf(out, "<figure%s><div class=scroll>", kind->is_wide ? " class=wide" : "");
	if (!draw_chart(kind, view, id, false, out)) {
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

/* The chart of one metric of one set against the first. */
static bool draw_changes(const struct report *report, uint32_t set, const struct metric *metric, bool alone,
			 char name[64], struct buffer *out)
{
	struct report_words words = {"", ""};
	struct chart chart = {
	    .out = out, .id = name, .title = words.title, .description = words.description, .alone = alone};

	snprintf(name, 64, "%s-%u", metric->name, (unsigned int)set + 1);
	return report_draw_changes(report, set, metric, &chart, &words);
}

void report_change_charts(const struct report *report, struct buffer *out)
{
	char name[64];

	buffer_text(out, "<div class=pair>");
	for (uint32_t set = 1; set < report->set_count; set++)
		for (size_t i = 0; i < report->column_count; i++) {
			size_t before = out->length;
			buffer_text(out, "<figure><div class=scroll>");
			if (draw_changes(report, set, report->columns[i], false, name, out))
				buffer_text(out, "</div></figure>\n");
			else
				out->length = before;
		}
	buffer_text(out, "</div>\n");
}

void report_charts(const struct report *report, const struct report_workload *workload, size_t number,
		   struct buffer *out)
{
	buffer_text(out, "<div class=pair>");
	for (size_t i = 0; i < CHARTS; i++) {
		struct report_view view = {.report = report, .workload = workload, .item = charts[i].item};
		buffer_text(out, charts[i].is_wide ? "</div>" : "");
		if (charts[i].items) {
			buffer_text(out, "<h4>The longest waits for a CPU</h4>");
			report_wait_table(report, workload, number, out);
			buffer_text(out, "<details class=f><summary>Timelines around these waits</summary>");
		}
		do
			add_figure(&charts[i], &view, number, out);
		while (next_view(&charts[i], &view));
		buffer_text(out, charts[i].items ? "</details>" : "");
		buffer_text(out, charts[i].is_wide ? "<div class=pair>" : "");
	}
	buffer_text(out, "</div>\n");
}

/* DIRECTORY/WORKLOAD-NAME.svg. A workload's name may be any file name. */
static enum status write_chart(const char *directory, const char *workload, size_t number, const char *name,
			       const struct buffer *svg, struct error *err)
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
	snprintf(file + length, sizeof(file) - length, "-%s.svg", name);
	enum status status = file_join(path, sizeof(path), directory, file, err);
	return status == STATUS_OK ? output_write(path, svg->data, svg->length, err) : status;
}

static enum status write_changes(const struct report *report, const char *directory, struct error *err)
{
	enum status status = STATUS_OK;
	struct buffer out = {0};
	char name[64];

	for (uint32_t set = 1; set < report->set_count; set++)
		for (size_t i = 0; i < report->column_count && status == STATUS_OK; i++) {
			buffer_clear(&out);
			if (draw_changes(report, set, report->columns[i], true, name, &out))
				status = write_chart(directory, "comparison", 0, name, &out, err);
		}
	buffer_free(&out);
	return status;
}

static enum status write_workload(const struct report *report, size_t number, const char *directory, struct error *err)
{
	enum status status = STATUS_OK;
	struct buffer out = {0};
	char name[64];

	for (size_t i = 0; i < CHARTS; i++) {
		struct report_view view = {
		    .report = report, .workload = &report->workloads[number], .item = charts[i].item};
		do {
			chart_name(&charts[i], &view, name, sizeof(name));
			buffer_clear(&out);
			if (draw_chart(&charts[i], &view, name, true, &out))
				status = write_chart(directory, view.workload->compared->name, number, name, &out, err);
		} while (status == STATUS_OK && next_view(&charts[i], &view));
	}
	buffer_free(&out);
	return status;
}

enum status report_charts_write(const struct report *report, const char *directory, struct error *err)
{
	enum status status = file_make_directories(directory, err);

	if (status == STATUS_OK)
		status = write_changes(report, directory, err);
	for (size_t i = 0; i < report->rows.workload_count && status == STATUS_OK; i++)
		status = write_workload(report, i, directory, err);
	return status;
}
