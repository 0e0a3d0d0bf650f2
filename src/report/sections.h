/* SPDX-License-Identifier: MIT
 *
 * The sections of the page, and its charts as files. */
#ifndef REPORT_SECTIONS_H
#define REPORT_SECTIONS_H

#include "base/buffer.h"
#include "report/model.h"

/* Writes each chart to a file in the directory. */
enum status report_charts_write(const struct report *report, const char *directory, struct error *err);

void report_summary(const struct report *report, struct buffer *out);
/* All workloads: the main metrics, the quality of the traces, and the machines. */
void report_overview(const struct report *report, struct buffer *out);
void report_quality(const struct report *report, struct buffer *out);
void report_environment(const struct report *report, struct buffer *out);
/* The changes of each key metric with their intervals, a chart per metric. */
void report_change_charts(const struct report *report, struct buffer *out);
/* All metrics of one workload. */
void report_metric_table(const struct report *report, const struct report_workload *workload, struct buffer *out);
/* The charts of one workload, each with its table. number distinguishes it from others on the page. */
void report_charts(const struct report *report, const struct report_workload *workload, size_t number,
		   struct buffer *out);

/* Sets in the order of their kernels: "12 sets from 6.1.1 to 6.1.12"; where a metric changed, and a chart of each. */
void report_history_title(const struct report *report, struct buffer *out);
void report_history_changes(const struct report *report, struct buffer *out);
void report_history_workloads(const struct report *report, struct buffer *out);

/* The page's style sheet. */
extern const char *const report_style;

#endif
