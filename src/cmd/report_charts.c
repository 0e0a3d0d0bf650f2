/* SPDX-License-Identifier: MIT */
#include "cmd/report_charts.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/file.h"
#include "cmd/report_html.h"

/* In the order in which they stand on the page; two that are not wide stand side by side. */
static const struct report_chart charts[] = {
    {"changes", true, true, false, report_draw_changes, NULL},
    {"wakeup", false, false, false, report_draw_wakeups, report_wakeup_table},
    {"slices", false, false, false, report_draw_slices, report_slice_table},
    {"timeline", true, false, true, report_draw_timeline, report_timeline_table},
    {"time", false, false, false, report_draw_time, report_time_table},
    {"cpus", false, false, false, report_draw_cpus, report_cpu_table},
    {"names", false, false, false, report_draw_names, report_name_table},
    {"migrations", false, false, false, report_draw_migrations, report_cause_table},
    {"matrix", true, false, false, report_draw_matrix, report_matrix_table},
};

enum { CHARTS = sizeof(charts) / sizeof(*charts) };

/* "wakeup", "timeline-2" */
static void chart_name(const struct report_chart *chart, uint32_t set, char *name, size_t size)
{
	if (chart->per_set)
		snprintf(name, size, "%s-%u", chart->name, (unsigned int)set + 1);
	else
		snprintf(name, size, "%s", chart->name);
}

static bool draw(const struct report_chart *kind, const struct report_view *view, const char *id, bool alone,
		 struct buffer *out)
{
	struct report_words words = {"", ""};
	struct chart chart = {
	    .out = out, .id = id, .title = words.title, .description = words.description, .alone = alone};

	return kind->draw(view, &chart, &words);
}

/* The sets that a chart is drawn of: [first, end). */
static uint32_t first_set(const struct report_chart *kind)
{
	return kind->compares;
}

static uint32_t end_set(const struct report_chart *kind, const struct report *report)
{
	return kind->per_set ? report->set_count : 1;
}

static void add_figure(const struct report_chart *kind, const struct report_view *view, size_t number,
		       struct buffer *out)
{
	char name[32], id[64];
	size_t before = out->length;

	chart_name(kind, view->set, name, sizeof(name));
	snprintf(id, sizeof(id), "w%zu-%s", number, name);
	buffer_printf(out, "<figure%s><div class=scroll>", kind->is_wide ? " class=wide" : "");
	if (!draw(kind, view, id, false, out)) {
		out->length = before;
		return;
	}
	buffer_text(out, "</div>");
	if (kind->figures) {
		buffer_text(out, "<details class=f><summary>Figures</summary>");
		kind->figures(view, out);
		buffer_text(out, "</details>");
	}
	buffer_text(out, "</figure>\n");
}

void report_charts(const struct report *report, const struct report_workload *workload, size_t number,
		   struct buffer *out)
{
	struct report_view view = {.report = report, .workload = workload};

	buffer_text(out, "<div class=pair>");
	for (size_t i = 0; i < CHARTS; i++)
		for (view.set = first_set(&charts[i]); view.set < end_set(&charts[i], report); view.set++)
			add_figure(&charts[i], &view, number, out);
	buffer_text(out, "</div>\n");
}

/* DIRECTORY/WORKLOAD-NAME.svg; a workload's name is whatever a file was called. */
static enum status chart_path(const char *directory, const struct report_workload *workload, size_t number,
			      const char *name, char *path, size_t size, struct error *err)
{
	char file[256];
	size_t length = 0;
	bool is_plain = true;

	for (const char *at = workload->compared->name; *at && length < 128; at++) {
		bool is_safe = (*at >= 'a' && *at <= 'z') || (*at >= 'A' && *at <= 'Z') || (*at >= '0' && *at <= '9') ||
			       *at == '_' || *at == '-' || (*at == '.' && length);
		is_plain = is_plain && is_safe;
		file[length++] = is_safe ? *at : '_';
	}
	if (!is_plain)
		length += (size_t)snprintf(file + length, sizeof(file) - length, "-%zu", number);
	snprintf(file + length, sizeof(file) - length, "-%s.svg", name);
	return file_join(path, size, directory, file, err);
}

enum status report_charts_write(const struct report *report, const char *directory, struct error *err)
{
	enum status status = file_make_directories(directory, err);
	struct buffer out = {0};

	for (size_t i = 0; i < report->rows.workload_count * CHARTS && status == STATUS_OK; i++) {
		const struct report_chart *kind = &charts[i % CHARTS];
		struct report_view view = {.report = report, .workload = &report->workloads[i / CHARTS]};
		for (view.set = first_set(kind); view.set < end_set(kind, report) && status == STATUS_OK; view.set++) {
			char name[32], path[4096];
			chart_name(kind, view.set, name, sizeof(name));
			buffer_clear(&out);
			if (!draw(kind, &view, name, true, &out))
				continue;
			status = chart_path(directory, view.workload, i / CHARTS, name, path, sizeof(path), err);
			if (status == STATUS_OK && out.failed)
				status = error_system(err, 12, path, "cannot draw it");
			if (status == STATUS_OK)
				status = file_replace(path, out.data, out.length, err);
		}
	}
	buffer_free(&out);
	return status;
}
