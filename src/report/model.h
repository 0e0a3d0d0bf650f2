/* SPDX-License-Identifier: MIT
 *
 * The data of the page of picknext report. */
#ifndef REPORT_MODEL_H
#define REPORT_MODEL_H

#include "compare/comparison_rows.h"
#include "compare/remarks.h"
#include "compare/run_set.h"
#include "report/work.h"

struct report_workload {
	const struct comparison_workload *compared;
	struct report_work *works[REPORT_SETS_MAX]; /* NULL if a set has no run of the workload */
	struct distribution distributions[RUN_DISTRIBUTIONS][REPORT_SETS_MAX]; /* over all runs */
};

struct report {
	struct run_sets sets;
	uint32_t set_count;
	struct comparison_rows rows;
	struct remarks remarks;
	const struct metric *columns[COMPARISON_COLUMNS]; /* for summary, overview and charts of changes */
	size_t column_count;
	double margin_percent;             /* from the options */
	struct report_workload *workloads; /* one for each of rows.workloads, in the same order */
	size_t workload_count;
};

struct report_options {
	struct run_set_options sets;
	double margin_percent; /* see comparison_choice */
	uint64_t jobs;         /* traces that are read in parallel */
	double from_s, to_s;   /* window of the timelines, since the start of the workload; 0: not given */
};

/* Reads all traces, each once. Call report_free() even after a failure. output, which will be written, must not
 * be one of the traces. STATUS_USAGE if there are too many sets. */
enum status report_read(struct report *report, char *const *operands, size_t count,
			const struct report_options *options, const char *output, struct error *err);
void report_free(struct report *report);

#endif
