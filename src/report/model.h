/* SPDX-License-Identifier: MIT
 *
 * The data of the page of picknext report. Values are of one run: means over the runs of a set, or medians if stated.
 */
#ifndef REPORT_MODEL_H
#define REPORT_MODEL_H

#include "compare/comparison_rows.h"
#include "compare/history.h"
#include "compare/remarks.h"
#include "compare/run_set.h"
#include "report/work.h"

struct report_workload {
	const struct comparison_workload *compared;
	struct report_work *works[REPORT_SETS_MAX]; /* NULL if a set has no run of the workload */
	struct report_names names;
	struct distribution distributions[RUN_DISTRIBUTIONS][REPORT_SETS_MAX]; /* of all runs */
};

struct report {
	struct run_sets sets;
	uint32_t set_count;
	struct comparison_rows rows;
	struct remarks remarks;
	const struct metric *columns[COMPARISON_COLUMNS]; /* of the summary, the overview, and the charts of changes */
	size_t column_count;
	double margin_percent;             /* as in the options */
	struct report_workload *workloads; /* one for each of rows.workloads, in the same order */
	size_t workload_count;
	bool is_history; /* sets and history alone; set_count is 0 */
	struct history history;
};

struct report_options {
	struct run_set_options sets;
	double margin_percent; /* of comparison_choice */
	uint64_t jobs;         /* traces read side by side */
	double from_s, to_s;   /* the window of the timelines, since the start of the workload; 0: not given */
	bool is_history;       /* sets in the order of their kernels: their history instead of a comparison */
};

/* Reads all traces, each once. Call report_free() even after a failure. output, which will be written, must not
 * be one of the traces. STATUS_USAGE if there are too many sets, or too few for a history. */
enum status report_read(struct report *report, char *const *operands, size_t count,
			const struct report_options *options, const char *output, struct error *err);
void report_free(struct report *report);

/* Number of runs of a workload in a set, as a divisor: 1 if there are none. */
double report_runs(const struct report_workload *workload, uint32_t set);
/* Time of a CPU in a run, in nanoseconds: the workload's tasks, other tasks, idle. */
void report_cpu_uses(const struct report_workload *workload, uint32_t set, uint32_t cpu, double uses[3]);

#endif
