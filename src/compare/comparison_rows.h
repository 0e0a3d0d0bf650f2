/* SPDX-License-Identifier: MIT
 *
 * Compares several sets of runs with the first set: one row per workload and metric. picknext compare prints them
 * and picknext report draws them. */
#ifndef COMPARE_COMPARISON_ROWS_H
#define COMPARE_COMPARISON_ROWS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "base/options.h"
#include "compare/comparison.h"
#include "compare/metric.h"

#define COMPARISON_SETS_MAX 8

struct run_sets;

struct comparison_cell {
	struct comparison_sample sample; /* of the set's runs of the workload */
	struct comparison against;       /* against the first set; all unknown in the first set's own cell */
	const double *by_run;            /* the value of each run, in the order of runs; NaN: unknown */
	bool lacks_values;               /* VERDICT_TOO_FEW, though there are enough runs: not all have a value */
	size_t runs_needed;              /* to decide what is unclear: comparison_runs_needed() */
	double p_family;                 /* among all metrics of the workload: compare/family_test.h; NaN: no test */
	bool is_significant; /* p_family, after correction for the number of workloads, whatever the verdict */
};

#define COMPARISON_RARE_EVENTS 10

struct comparison_row {
	size_t workload; /* of comparison_rows.workloads */
	const struct metric *metric;
	/* The guests are deterministic, the metric needs real time, and it was not asked for: the row is in no table,
	 * count or correction. */
	bool is_excluded;
	double seconds; /* typical length of the part of a run of the workload that is measured: the median */
	/* The metric counts events, of which a run has fewer than COMPARISON_RARE_EVENTS: each value is the number in
	 * a run, per typical length, so that one event in a shorter run is no higher rate. */
	bool is_rare;
	struct comparison_cell cells[COMPARISON_SETS_MAX];
};

struct comparison_workload {
	char *name; /* as it is shown: that of the workload, with --by "WORKLOAD TASK" */
	const char *workload;
	const char *task; /* the name of the tasks that the rows are of; NULL: all */
	/* The first of those with the same workload, whose rows are one family of tests. */
	size_t family;
	size_t runs[COMPARISON_SETS_MAX]; /* runs of each set; 0: none */
	size_t first_row, row_count;
};

/* The verdicts on one set. */
struct comparison_count {
	size_t verdicts[VERDICTS];
	size_t significant; /* number of better, worse and different cells that are significant */
	/* If none of them is, since so few runs cannot make so few of the metrics significant: the number of runs of
	 * each set that can. Else 0. */
	size_t runs_needed;
};

/* better, worse and different */
static inline size_t comparison_count_differing(const struct comparison_count *count)
{
	return count->verdicts[VERDICT_BETTER] + count->verdicts[VERDICT_WORSE] + count->verdicts[VERDICT_DIFFERENT];
}

/* All that have an interval. */
static inline size_t comparison_count_tested(const struct comparison_count *count)
{
	return comparison_count_differing(count) + count->verdicts[VERDICT_EQUAL] +
	       count->verdicts[VERDICT_NEGLIGIBLE] + count->verdicts[VERDICT_UNCLEAR];
}

struct comparison_rows {
	const struct run_sets *sets;           /* each compared with the first */
	struct comparison_workload *workloads; /* in the order of first appearance in the sets */
	size_t workload_count;
	struct comparison_row *rows; /* by workload, then in the order of sets->metrics */
	size_t row_count;
	struct comparison_count counts[COMPARISON_SETS_MAX]; /* [0] is empty */
	bool is_deterministic;                               /* all runs are of deterministic guests */
	size_t family_count;                                 /* families with a test, of each later set */
	double *values;                                      /* the samples' */
};

/* How to classify a change of this metric. The user's margin is converted for metrics of squares. */
struct comparison_meaning comparison_meaning_of(const struct metric *metric, double margin_percent);

/* The row of option --margin, in both commands that have it; and its fallback as a number. */
#define COMPARISON_MARGIN_PERCENT 5
#define COMPARISON_MARGIN_ROW(type, member)                                                                            \
	OPTION(type, member, "margin", .argument = "PERCENT", .real_min = 0, .real_max = 1000000, .fallback = "5",     \
	       .help = "report equal if the whole interval is within +-PERCENT")

/* Selects rows. The list holds patterns; an empty one selects all. */
struct comparison_choice {
	struct option_list metrics;
	double margin_percent;                           /* two sets whose difference is certainly smaller are equal */
	const struct metric *gated[OPTION_LIST_MAX + 1]; /* asked for by a gate; ended by NULL */
	bool strict; /* report "unclear" if a difference is not significant after correction */
};

/* The false discovery rate of the correction. */
#define COMPARISON_FALSE_RATE 0.05

/* Before the traces are read: accounts that only other metrics need are left out. */
void comparison_choose_needs(const struct run_sets *sets, const struct comparison_choice *choice);

/* sets (at most COMPARISON_SETS_MAX; one gives rows without comparison) must outlive the rows, which the caller
 * always frees. */
void comparison_rows_make(const struct run_sets *sets, const struct comparison_choice *choice,
			  struct comparison_rows *rows);
void comparison_rows_free(struct comparison_rows *rows);

/* The row of a workload and metric, or NULL. */
const struct comparison_row *comparison_find_row(const struct comparison_rows *rows,
						 const struct comparison_workload *workload,
						 const struct metric *metric);

/* The metrics of a table that has no room for all: values of vm --value; then those with the
 * most significant differences; then the main ones (metric.overview). Of metrics that differ in the last word of their
 * heading (mean, p99) it has one. Returns how many. */
#define COMPARISON_COLUMNS 8
size_t comparison_columns(const struct comparison_rows *rows, const struct metric *columns[COMPARISON_COLUMNS]);
/* Significant differences of metrics that are not among these columns, of all later sets. */
size_t comparison_count_hidden(const struct comparison_rows *rows, const struct metric *const *columns, size_t count);

/* False if no later set exercises the metric (VERDICT_NOT_EXERCISED): no table has the row. */
bool comparison_is_exercised(const struct comparison_rows *rows, const struct comparison_row *row);

/* True for a difference that is not significant after correction: its verdict gets a "?". */
static inline bool comparison_is_doubtful(const struct comparison_cell *cell)
{
	return comparison_differs(&cell->against) && !cell->is_significant;
}

/* The number of runs of each set that would decide this share of the unclear metrics, estimated; 0: no estimate. */
size_t comparison_runs_to_decide(const struct comparison_rows *rows, double share);

/* STATUS_USAGE, with the nearest name, if a pattern of metrics matches none of the sets' metrics. */
enum status comparison_check_metrics(const struct run_sets *sets, const struct option_list *metrics, struct error *err);

/* The metric of this name. STATUS_USAGE, with the nearest name, if there is none; where names the option. */
enum status comparison_find_metric(const struct run_sets *sets, const char *where, const char *name,
				   const struct metric **metric, struct error *err);

#endif
