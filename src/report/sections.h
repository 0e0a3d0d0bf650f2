/* SPDX-License-Identifier: MIT
 *
 * The sections of the page, and the tables in them. */
#ifndef REPORT_SECTIONS_H
#define REPORT_SECTIONS_H

#include "base/buffer.h"
#include "report/model.h"

void report_summary(const struct report *report, struct buffer *out);
/* All workloads: the main metrics, the quality of the traces, and the machines. */
void report_overview(const struct report *report, struct buffer *out);
void report_quality(const struct report *report, struct buffer *out);
void report_environment(const struct report *report, struct buffer *out);
/* All metrics of one workload. */
void report_metric_table(const struct report *report, const struct report_workload *workload, struct buffer *out);

/* Sets in the order of their kernels: "12 sets from 6.1.1 to 6.1.12"; where a metric changed, and a chart of each. */
void report_history_title(const struct report *report, struct buffer *out);
void report_history_changes(const struct report *report, struct buffer *out);
void report_history_workloads(const struct report *report, struct buffer *out);

/* The page's style sheet. */
extern const char *const report_style;

#endif
