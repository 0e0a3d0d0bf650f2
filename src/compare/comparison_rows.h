/* SPDX-License-Identifier: MIT
 *
 * Several sets of runs against the first of them: a row for each workload and figure. What picknext compare prints and
 * picknext report draws, so that both say the same. */
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
	struct comparison against;       /* the first set; all unknown in the first set's own cell */
	bool is_significant;             /* the difference also where as many figures as these are compared at once */
};

struct comparison_row {
	size_t workload;        /* of comparison_rows.workloads */
	enum run_metric metric; /* of metric_table */
	struct comparison_cell cells[COMPARISON_SETS_MAX];
};

struct comparison_workload {
	const char *name;
	size_t runs[COMPARISON_SETS_MAX]; /* of each set; 0: it has none */
	size_t first_row, row_count;
};

/* What the verdicts on one set come to. */
struct comparison_count {
	size_t verdicts[VERDICTS];
	size_t significant; /* of those that are better, worse or different */
};

struct comparison_rows {
	const struct run_sets *sets;           /* each against the first */
	struct comparison_workload *workloads; /* in the order in which they come in the sets */
	size_t workload_count;
	struct comparison_row *rows; /* by workload, then in the order of metric_table */
	size_t row_count;
	struct comparison_count counts[COMPARISON_SETS_MAX]; /* [0] is empty */
	double *values;                                      /* the samples' */
};

/* What change_min_percent is where nobody says otherwise. */
#define COMPARISON_CHANGE_MIN_PERCENT 1

/* Which rows; what is zeroed means all. Lists hold patterns (base/pattern.h), and are empty where all are wanted. */
struct comparison_choice {
	struct option_list workloads, metrics;
	double change_min_percent; /* a smaller difference is the same */
	bool strict;               /* a difference that does not stand is the same too */
};

/* Whether one of the patterns fits, or there are none. Commas separate several in one item. */
bool comparison_is_chosen(const struct option_list *patterns, const char *name);

/* The share of wrong verdicts that is allowed for where stands is told. */
#define COMPARISON_FALSE_RATE 0.05

/* sets (at most COMPARISON_SETS_MAX; one gives rows without comparison) must outlive the rows, which are to be freed
 * whatever comes of it. STATUS_USAGE where a pattern of workloads fits none that was read. */
enum status comparison_rows_make(const struct run_sets *sets, const struct comparison_choice *choice,
				 struct comparison_rows *rows, struct error *err);
void comparison_rows_free(struct comparison_rows *rows);

/* The row of a workload and metric, or NULL. */
const struct comparison_row *comparison_find_row(const struct comparison_rows *rows,
						 const struct comparison_workload *workload, enum run_metric metric);

/* A difference that is not significant after correction: verdicts get a "?". */
static inline bool comparison_is_doubtful(const struct comparison_cell *cell)
{
	return cell->against.verdict >= VERDICT_BETTER && !cell->is_significant;
}

/* STATUS_USAGE where a pattern of metrics fits none, with the nearest name. Before anything is read. */
enum status comparison_check_metrics(const struct option_list *metrics, struct error *err);

/* What is said of a figure that there is none of; where names the option. STATUS_USAGE. */
enum status comparison_unknown_metric(const char *where, const char *name, struct error *err);

#endif
