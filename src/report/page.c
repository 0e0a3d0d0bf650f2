/* SPDX-License-Identifier: MIT */
#include "report/page.h"

#include <string.h>

#include "base/build.h"
#include "base/interrupt.h"
#include "base/output_stream.h"
#include "report/chart/chart.h"
#include "report/html.h"
#include "report/sections.h"

struct section {
	const char *id, *title;
	const char *title_alone; /* title on a page of a single set */
	void (*add)(const struct report *report, struct buffer *out);
	bool has_workloads; /* followed by a part for each workload */
};

static void add_title(const struct report *report, bool is_marked, struct buffer *out)
{
	for (uint32_t set = report->set_count > 1; set < report->set_count; set++) {
		buffer_text(out, set > 1 ? ", " : "");
		if (is_marked)
			report_label(report, set, out);
		else
			report_string(out, report->sets.items[set].label);
	}
	if (report->set_count < 2)
		return;
	buffer_text(out, " against ");
	if (is_marked)
		report_label(report, 0, out);
	else
		report_string(out, report->sets.items[0].label);
}

static void add_head(const struct report *report, struct buffer *out)
{
	/* Second protection: unescaped markup could neither run nor load anything. */
	buffer_text(out, "<!DOCTYPE html>\n<html lang=en>\n<head>\n<meta charset=utf-8>\n"
			 "<meta http-equiv=Content-Security-Policy content=\"default-src 'none'; style-src "
			 "'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'\">\n"
			 "<meta name=viewport content=\"width=device-width, initial-scale=1\">\n"
			 "<meta name=color-scheme content=\"light dark\">\n<link rel=icon href=\"data:,\">\n<title>");
	add_title(report, false, out);
	buffer_text(out, " \xe2\x80\x93 picknext report</title>\n<style>");
	buffer_text(out, report_style);
	buffer_text(out, chart_style);
	buffer_text(out, "</style>\n</head>\n<body>\n");
}

/* Adds the number of runs of each workload: "10 runs", "9 to 10 runs". */
static void add_run_counts(const struct report *report, uint32_t set, struct buffer *out)
{
	size_t min = SIZE_MAX, max = 0;

	for (size_t i = 0; i < report->rows.workload_count; i++) {
		size_t runs = report->rows.workloads[i].runs[set];
		min = runs < min ? runs : min;
		max = runs > max ? runs : max;
	}
	if (min != max)
		buffer_printf(out, "%zu to ", min);
	buffer_printf(out, "%zu run%s", max, max == 1 ? "" : "s");
}

static void add_sets(const struct report *report, struct buffer *out)
{
	buffer_printf(out, "<p class=dim>%zu workload%s. ", report->rows.workload_count,
		      report->rows.workload_count == 1 ? "" : "s");
	for (uint32_t set = 0; set < report->set_count; set++) {
		buffer_text(out, set ? "; " : "");
		if (report->set_count > 1) {
			report_tag(report, set, out);
			buffer_text(out, " is ");
		}
		report_label(report, set, out);
		buffer_text(out, ", ");
		add_run_counts(report, set, out);
		buffer_text(out, report->rows.workload_count == 1 ? "" : " of each");
	}
}

static const char *section_title(const struct report *report, const struct section *section)
{
	return report->set_count == 1 ? section->title_alone : section->title;
}

/* Lists the sections; the section of workloads is replaced by its workloads. */
static void add_contents(const struct report *report, const struct section *sections, struct buffer *out)
{
	buffer_text(out, "\n<nav aria-label=Contents>");
	for (const struct section *section = sections; section->title; section++) {
		if (!section->has_workloads)
			buffer_printf(out, "<a href=\"#%s\">%s</a> ", section->id, section_title(report, section));
		for (size_t i = 0; section->has_workloads && i < report->rows.workload_count; i++) {
			buffer_printf(out, "<a href=\"#w%zu\">", i);
			report_string(out, report->rows.workloads[i].name);
			buffer_text(out, "</a> ");
		}
	}
	buffer_text(out, "</nav>");
}

static void add_header(const struct report *report, const struct section *sections, struct buffer *out)
{
	buffer_text(out, "<header><p class=kicker>picknext report<h1>");
	add_title(report, true, out);
	buffer_text(out, "</h1>\n");
	if (report->set_count) {
		add_sets(report, out);
		add_contents(report, sections, out);
	}
	buffer_text(out, "</header>\n<main>\n");
}

/* "3 better, 2 worse" */
static void add_verdicts(const struct report *report, const struct comparison_workload *workload, struct buffer *out)
{
	for (uint32_t set = 1; set < report->set_count; set++) {
		size_t counts[VERDICTS] = {0};
		for (size_t i = 0; i < workload->row_count; i++)
			counts[report->rows.rows[workload->first_row + i].cells[set].against.verdict] +=
			    !report->rows.rows[workload->first_row + i].is_excluded;
		buffer_text(out, "<span class=\"dim small\">");
		if (report->set_count > 2) {
			report_label(report, set, out);
			buffer_text(out, " ");
		}
		for (int verdict = VERDICTS - 1, first = 1; verdict >= VERDICT_NOT_AFFECTED; verdict--) {
			if (!counts[verdict] || verdict == VERDICT_NOT_EXERCISED)
				continue;
			buffer_printf(out, "%s%zu %s", first ? "" : ", ", counts[verdict],
				      verdict == VERDICT_TOO_FEW
					  ? "with too few runs"
					  : comparison_verdict_text((enum comparison_verdict)verdict));
			first = 0;
		}
		buffer_text(out, "</span>");
	}
}

static void add_workload(const struct report *report, size_t number, struct buffer *out)
{
	const struct report_workload *workload = &report->workloads[number];

	buffer_printf(out, "<details class=w%s><summary><h3>", number < 1 ? " open" : "");
	report_string(out, workload->compared->name);
	buffer_text(out, "</h3> ");
	add_verdicts(report, workload->compared, out);
	/* The id is inside the section, so that a link to it opens the section. */
	buffer_printf(out, "</summary><div id=w%zu>\n", number);
	report_metric_table(report, workload, out);
	report_charts(report, workload, number, out);
	buffer_text(out, "</div></details>\n");
}

static void add_workloads_note(const struct report *report, struct buffer *out)
{
	(void)report;
	buffer_text(out,
		    "<p class=\"dim small\">Unless noted otherwise, values are of the workload's own tasks and CPUs. "
		    "<span class=paper>Folded parts, such as the table of each chart, are only printed if they were "
		    "opened before.</span>\n");
}

static enum status write_workloads(const struct report *report, struct output_stream *sink, struct error *err)
{
	enum status status = STATUS_OK;

	for (size_t i = 0; i < report->rows.workload_count && status == STATUS_OK; i++) {
		add_workload(report, i, &sink->pending);
		status = output_stream_write_if_full(sink, err);
		if (status == STATUS_OK)
			status = interrupt_check(err);
	}
	return status;
}

/* In page order. The last row has no title. */
static const struct section sections[] = {
    {"summary", "Summary", "Summary", report_summary, false},
    {"comparison", "Comparison", "Workloads at a glance", report_overview, false},
    {"workloads", "Workloads", "Workloads", add_workloads_note, true},
    {"quality", "Quality", "Quality", report_quality, false},
    {.title = NULL},
};

static enum status write_section(const struct report *report, const struct section *section, struct output_stream *sink,
				 struct error *err)
{
	enum status status = STATUS_OK;

	buffer_printf(&sink->pending, "<section id=%s><h2>%s</h2>\n", section->id, section_title(report, section));
	section->add(report, &sink->pending);
	if (section->has_workloads)
		status = write_workloads(report, sink, err);
	buffer_text(&sink->pending, "</section>\n");
	return status;
}

static enum status write_page(const struct report *report, struct output_stream *sink, struct error *err)
{
	struct buffer *out = &sink->pending;
	enum status status = STATUS_OK;

	add_head(report, out);
	add_header(report, sections, out);
	for (const struct section *section = sections; section->title && status == STATUS_OK; section++)
		status = write_section(report, section, sink, err);
	buffer_printf(
	    out,
	    "</main>\n<footer>Written by picknext %s (%s). This file loads nothing and runs no script.</footer>\n"
	    "</body>\n</html>\n",
	    build_version, build_commit);
	return status;
}

enum status report_page_write(const struct report *report, const char *path, struct error *err)
{
	struct output_stream sink;
	enum status status = output_stream_open(&sink, path, err);

	if (status != STATUS_OK)
		return status;
	status = write_page(report, &sink, err);
	if (status == STATUS_OK)
		return output_stream_finish(&sink, err);
	output_stream_discard(&sink);
	return status;
}
