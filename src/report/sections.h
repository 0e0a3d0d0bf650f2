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
/* The section about all workloads: the main metrics, and the quality of the traces. */
void report_overview(const struct report *report, struct buffer *out);
void report_quality(const struct report *report, struct buffer *out);
/* The changes of each main metric with their intervals, one chart per metric. */
void report_change_charts(const struct report *report, struct buffer *out);
/* All metrics of one workload. */
void report_metric_table(const struct report *report, const struct report_workload *workload, struct buffer *out);
/* The charts of one workload, each with its table. number distinguishes it from others on the page. */
void report_charts(const struct report *report, const struct report_workload *workload, size_t number,
		   struct buffer *out);

/* The page's style sheet. */
extern const char *const report_style;

#endif
