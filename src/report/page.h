/* SPDX-License-Identifier: MIT
 *
 * The page that picknext report writes, and its parts. Figures are of one run: means over the runs of a set, or medians
 * where it says so. */
#ifndef REPORT_PAGE_H
#define REPORT_PAGE_H

#include "compare/comparison_rows.h"
#include "compare/run_set.h"
#include "export/sink.h"
#include "report/names.h"
#include "report/workload_accounts.h"

struct report_workload {
	const struct comparison_workload *compared;
	struct report_work *works[REPORT_SETS_MAX]; /* NULL where a set has no run of it */
	struct report_names names;
	struct distribution wakeups[REPORT_SETS_MAX], slices[REPORT_SETS_MAX]; /* of all runs, in nanoseconds */
};

struct report {
	const struct run_sets *sets;
	uint32_t set_count;
	struct comparison_rows rows;
	struct report_workload *workloads; /* one for each of rows.workloads */
};

extern const char *const report_style;

/* The figures that the summary and the overview are of. */
#define REPORT_KEY_METRICS 9
extern const enum run_metric report_key_metrics[REPORT_KEY_METRICS];

/* How many runs a set has of it; 1 where none, to divide by. */
double report_runs(const struct report_workload *workload, uint32_t set);
/* "6.1.0-50-amd64" in the set's colour. */
void report_label(const struct report *report, uint32_t set, struct buffer *out);
/* Its letter, A for the first, where there is no room for the label. */
void report_tag(const struct report *report, uint32_t set, struct buffer *out);
/* A column heading of a set; more is HTML behind the label. */
void report_set_heading(const struct report *report, uint32_t set, const char *more, struct buffer *out);

/* The row of a workload (by its number) and figure, or NULL. */
const struct comparison_row *report_row(const struct report *report, size_t workload, enum run_metric metric);

/* Writes the page. */
enum status report_page(const struct report *report, struct sink *sink, struct error *err);

/* Writes each chart as a file of its own into the directory. */
enum status report_charts_write(const struct report *report, const char *directory, struct error *err);
/* The charts of one workload, each with its table. number tells it from others on the page. */
void report_charts(const struct report *report, const struct report_workload *workload, size_t number,
		   struct buffer *out);

/* The differences of each key figure with their intervals, a chart a figure. */
void report_change_charts(const struct report *report, struct buffer *out);

void report_summary(const struct report *report, struct buffer *out);
/* Tables of the whole: an overview, how good the traces are, where they were made. */
void report_overview(const struct report *report, struct buffer *out);
void report_quality(const struct report *report, struct buffer *out);
void report_environment(const struct report *report, struct buffer *out);
/* Tables of one workload. */
void report_metric_table(const struct report *report, const struct report_workload *workload, struct buffer *out);

#endif
