/* SPDX-License-Identifier: MIT
 *
 * The metrics of a run, one row each: help, --list, tables, gates, report and tests read these rows. A new metric is a
 * row in metric.c, and what it is computed from in metric_period.h, if it is not there. Sets of runs have further rows,
 * for the values that their users named (compare/run_set.h: metrics). */
#ifndef COMPARE_METRIC_H
#define COMPARE_METRIC_H

#include <stdbool.h>
#include <stddef.h>

struct metric_period;

enum metric_direction { METRIC_LOWER_IS_BETTER = -1, METRIC_NEUTRAL, METRIC_HIGHER_IS_BETTER };

/* Accounts that are run only if a chosen metric is computed from them: compare/run_accounts.h. */
enum metric_account {
	METRIC_ACCOUNT_NONE, /* from what is counted in any case */
	METRIC_ACCOUNT_IDLE,
	METRIC_ACCOUNT_ORDER,
	METRIC_ACCOUNT_SHARES,
	METRIC_ACCOUNT_MIX,
	METRIC_ACCOUNTS
};

struct metric {
	const char *name;    /* "wakeup_latency_p99_us": on the command line, in CSV and JSON */
	const char *heading; /* "wakeup latency p99" */
	const char *unit;    /* "us", "%", "/s", "" */
	const char *help;    /* one line */
	/* Why a deterministic guest does not show the metric, one string per reason; NULL: it does. Such a guest has no
	 * caches, its CPUs take turns, and its clock counts instructions, one per nanosecond. So order, preemptions,
	 * slices (of ticks), shares and numbers of decisions hold there, real time does not. */
	const char *real_time_reason;
	/* How the metric is read from the rest of its row; NaN if the period has none. NULL: a value of vm --value, in
	 * the metadata. */
	double (*value)(const struct metric_period *period, const struct metric *metric);
	enum metric_account account;
	unsigned int needs;     /* bits of enum period_knowledge: without all of these it is NaN */
	size_t of, per;         /* a sum, distribution, member or invariant; the sum by which it is divided */
	unsigned int statistic; /* of the distribution: a percentile in per mille, or the mean or maximum */
	double scale;           /* of the quotient */
	enum metric_direction direction;
	const char *less, *more; /* what a significant change means; NULL: the heading is enough */
	/* The smallest difference that can matter, in the unit of the metric, and why: a smaller one is no verdict. 0,
	 * NULL: any can. */
	double floor;
	const char *floor_reason;
	/* 1 less the square of the differences between tasks, about: so a margin of 5 % of these is one of 0.25 %. */
	bool is_of_squares;
	bool of_workload;     /* of all its tasks or CPUs: chosen tasks have none */
	bool counts_events;   /* events per second: of rare ones their number is shown */
	bool breaks_rule;     /* one run that breaks it is enough: a gate on the value tests each run, not the median */
	bool is_of_invariant; /* compared only where a run breaks it, or if it is asked for */
	unsigned int overview; /* its column in the overview and the summary of the report, from 1; 0: none */
};

/* Bound of all metrics of sets of runs, for arrays; and of those that are values of the runs. */
#define METRICS_MAX       160
#define METRIC_VALUES_MAX 32

/* In display order; a row without a name ends it. */
const struct metric *metric_table(void);
size_t metric_count(void);

double metric_value(const struct metric *metric, const struct metric_period *period);
/* NULL if no metric has that name. */
const struct metric *metric_find(const char *name);

/* Its place in metric_table, and among the values of a run. Not for values of the metadata. */
static inline size_t metric_index(const struct metric *metric)
{
	return (size_t)(metric - metric_table());
}

/* Whether it is a number in the output of the command. */
static inline bool metric_is_value(const struct metric *metric)
{
	return !metric->value;
}

#endif
