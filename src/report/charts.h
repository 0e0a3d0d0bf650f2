/* SPDX-License-Identifier: MIT
 *
 * All charts of a report: on the page, or each in a separate file. */
#ifndef REPORT_CHARTS_H
#define REPORT_CHARTS_H

#include "report/model.h"

/* The charts of one workload, each with its table. number distinguishes it from others on the page. */
void report_charts(const struct report *report, const struct report_workload *workload, size_t number,
		   struct buffer *out);
/* The changes of each key metric with their intervals, a chart per metric. */
void report_change_charts(const struct report *report, struct buffer *out);
/* Writes each chart to a file in the directory. */
enum status report_charts_write(const struct report *report, const char *directory, struct error *err);

#endif
