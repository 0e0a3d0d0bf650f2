/* SPDX-License-Identifier: MIT
 *
 * Compares two samples of runs: medians, spreads, the difference of the medians with its interval, and a verdict.
 * Each run has one finite value of a metric; a NaN is unknown and does not count as a run. Equal input
 * gives a bit-identical result. The interval is that of compare/change_interval.h. */
#ifndef COMPARE_COMPARISON_H
#define COMPARE_COMPARISON_H

#include <stdbool.h>
#include <stddef.h>

#include "compare/change_interval.h"

/* A side with fewer runs gets no interval and no verdict. */
#define COMPARISON_RUNS_MIN CHANGE_INTERVAL_MIN

struct comparison_sample {
	double *values; /* owned by the caller; known values, ascending */
	size_t count;   /* number of known values; if 0, all other values are NaN */
	double median, min, max;
	/* Half the interquartile range, and the same in percent of the median. NaN with fewer than two runs; the
	 * percentage also if the median is 0. */
	double spread, spread_percent;
};

/* Sorts the values; NaN values go to the end and are not counted. */
struct comparison_sample comparison_sample(double *values, size_t count);

enum comparison_verdict {
	VERDICT_NONE, /* a side has no value */
	/* The traces of both sides are the same (compare/run_pairs.h): no test. */
	VERDICT_NOT_AFFECTED,
	/* 0 in all runs of both sides, or another value that is the same in all of at least COMPARISON_RUNS_MIN: the
	 * runs say nothing about the metric, so it is no test. */
	VERDICT_NOT_EXERCISED,
	VERDICT_TOO_FEW,    /* a side has fewer than COMPARISON_RUNS_MIN; this and those before have no interval */
	VERDICT_UNCLEAR,    /* neither a difference nor equality was shown */
	VERDICT_EQUAL,      /* the whole interval is within the margin */
	VERDICT_NEGLIGIBLE, /* the whole interval is within the floor of the metric, below which nothing matters */
	VERDICT_BETTER,     /* this and the next two: the interval excludes 0, and the change reaches the floor */
	VERDICT_WORSE,
	VERDICT_DIFFERENT, /* for a metric without a better direction */
	VERDICTS
};

/* "needs ≥5 runs", "unclear", "better" ... "-" for none */
const char *comparison_verdict_text(enum comparison_verdict verdict);
/* "~", "✓" ...; "" for those without an interval */
const char *comparison_verdict_mark(enum comparison_verdict verdict);

struct comparison {
	enum comparison_verdict verdict;
	bool is_percent; /* false: the first median is 0 or a value below it, and the three are differences in the
			    metric's unit */
	/* From the first median to the second, and the 95 % interval; each NaN if unknown. high can be infinite if
	 * the first median may be 0. */
	double change, low, high;
	struct difference absolute; /* the same three, always in the metric's unit */
	/* In the metric's unit, the change is smaller than its floor; and the whole interval is within it. */
	bool is_negligible, is_within_floor;
	double p; /* p-value of the rank-sum test, two-sided; NaN without values */
};

/* How to classify the changes of a metric. */
struct comparison_meaning {
	int better;            /* 1 if more is better, -1 if less is, 0 if neither is */
	double margin_percent; /* an interval within it is VERDICT_EQUAL; not one that is no percentage */
	double floor;          /* the smallest difference that can matter, in the metric's unit; 0: any */
};

struct comparison comparison_make(const struct comparison_sample *first, const struct comparison_sample *second,
				  const struct comparison_meaning *meaning);
/* Without samples: all unknown. */
extern const struct comparison comparison_none;

/* True for better, worse and different. */
static inline bool comparison_differs(const struct comparison *comparison)
{
	return comparison->verdict >= VERDICT_BETTER;
}

/* True for what is unclear although the interval excludes 0: the change is too small to matter (metric.floor), the
 * interval allows more. */
static inline bool comparison_is_small(const struct comparison *comparison)
{
	return comparison->verdict == VERDICT_UNCLEAR && comparison->is_negligible &&
	       (comparison->low > 0 || comparison->high < 0);
}

/* Estimates how many runs of each side an unclear comparison of so many runs needs to become a difference, or equal:
 * intervals shrink with the root of their number. 0 if it is not unclear, or has no such number. */
size_t comparison_runs_needed(const struct comparison *comparison, size_t runs, double margin_percent);

/* Benjamini and Hochberg (1995): marks as significant the largest set of p-values of which at most the share rate is
 * expected to be false. NaN: no test. */
void comparison_find_significant(const double *p, size_t count, double rate, bool *significant);

#endif
