/* SPDX-License-Identifier: MIT
 *
 * Compares two samples of runs: medians, spreads, the difference of the medians with its interval, and a verdict. Each
 * run has one value of a metric, not below 0; a NaN is unknown and does not count as a run. The same values give the
 * same result, bit for bit.
 *
 * The interval is the percentile bootstrap of the medians: each side is drawn anew from its own runs, with replacement,
 * COMPARISON_RESAMPLES times, by the generator splitmix64 (Steele, Lea and Flood, 2014) from a fixed seed; the interval
 * is what the middle 95 % of the differences lie in. For equal samples of 5 runs or more it holds the true difference
 * in 95 % to 98 % of all cases, whatever the distribution (tests/unit/test_comparison.c), with 4 runs in 92 %, with 3
 * in 90 %: below COMPARISON_RUNS_MIN nothing is concluded. */
#ifndef COMPARE_COMPARISON_H
#define COMPARE_COMPARISON_H

#include <stdbool.h>
#include <stddef.h>

#define COMPARISON_RUNS_MIN  5
#define COMPARISON_RESAMPLES 9999

struct comparison_sample {
	double *values; /* of the caller; known ones, ascending */
	size_t count;   /* of them; if 0, all other values are NaN */
	double median, min, max;
	/* Half the distance between the quartiles, and that in percent of the median: half of the runs lie about that
	 * near. NaN with fewer than two runs; the percentage also if the median is 0. */
	double spread, spread_percent;
};

/* Sorts the values; those that are NaN go to the end and are not counted. */
struct comparison_sample comparison_sample(double *values, size_t count);

enum comparison_verdict {
	VERDICT_NONE,    /* a side has no value at all */
	VERDICT_TOO_FEW, /* a side has fewer than COMPARISON_RUNS_MIN */
	VERDICT_SAME,    /* no difference was shown, or less than what counts */
	VERDICT_BETTER,
	VERDICT_WORSE,
	VERDICT_DIFFERENT, /* shown, of a metric without a better direction */
	VERDICTS
};

/* "too few runs", "same", "better" ... "-" for none */
const char *comparison_verdict_text(enum comparison_verdict verdict);

struct comparison {
	enum comparison_verdict verdict;
	bool is_percent; /* else, because the first median is 0, the three are differences in the metric's unit */
	/* Of the medians, from the first to the second, and its 95 % interval; each NaN if unknown. high can
	 * be infinite, if runs of the first are 0. */
	double change, low, high;
	double p; /* that such ranks come by chance: the rank-sum test, two-sided; NaN without values */
};

/* better: 1 if more is better, -1 if less is, 0 if neither is. A change below change_min_percent is VERDICT_SAME. False
 * if memory ran out. */
bool comparison_make(const struct comparison_sample *first, const struct comparison_sample *second, int better,
		     double change_min_percent, struct comparison *comparison);

/* Of the chances p (NaN: no test), each is significant that belongs to the largest set of which at most the share rate
 * is expected to be false (Benjamini and Hochberg, 1995). False if memory ran out. */
bool comparison_find_significant(const double *p, size_t count, double rate, bool *significant);

#endif
