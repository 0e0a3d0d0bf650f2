/* SPDX-License-Identifier: MIT */
#include "cmd/report_html.h"
#include "cmd/report_page.h"

void report_charts(const struct report *report, const struct report_workload *workload, size_t number,
		   struct buffer *out)
{
	(void)number;
	report_time_table(report, workload, out);
	report_name_table(report, workload, out);
	report_cpu_table(report, workload, out);
	report_migration_tables(report, workload, out);
}

enum status report_charts_write(const struct report *report, const char *directory, struct error *err)
{
	(void)report;
	return error_set(err, STATUS_UNSUPPORTED, directory, "not yet");
}
