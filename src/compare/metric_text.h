/* SPDX-License-Identifier: MIT
 *
 * Formats the values of a comparison as text. */
#ifndef COMPARE_METRIC_TEXT_H
#define COMPARE_METRIC_TEXT_H

#include "compare/comparison_rows.h"

#define METRIC_TEXT_SIZE 96

/* How all values of a row are shown: microseconds as milliseconds if one of them is above 10,000; rates of rare
 * events as their number in a run. */

struct metric_scale {
	double divisor;
	bool is_count;
	char unit[24]; /* " ms", " in 0.81 s"; "": the metric's own, which its name has */
};

struct metric_scale metric_scale_of(const struct comparison_row *row);

/* A change as it is shown: numbers of events differ by a number, not by a percentage. */
struct shown_change {
	struct difference difference;
	bool is_percent;
};

struct shown_change shown_change(const struct comparison *comparison, const struct metric_scale *scale);

/* With about four digits: "0.1234", "12.34", "123,456", "173.0 ms"; "-" if it is unknown. All return text. In all of
 * them a scale of NULL is the metric's own unit. */
const char *metric_value_text(double value, const struct metric_scale *scale, char text[METRIC_TEXT_SIZE]);
/* "+12.3%", "x13.1" from +1000% on, or "+12.30" in the metric's unit if the first is 0; of numbers "+2". */
const char *change_text(const struct comparison *comparison, const struct metric_scale *scale,
			char text[METRIC_TEXT_SIZE]);
/* "[+8.1, +16.9]", in the unit of the change; "[+8.1, ...]" without an upper bound; "[+188%, x48.7]" with a factor; ""
 * if the interval is unknown. */
const char *interval_text(const struct comparison *comparison, const struct metric_scale *scale,
			  char text[METRIC_TEXT_SIZE]);
/* "≤19.7%", the farther end of the interval; "" if there is no limit. */
const char *missed_text(const struct comparison *comparison, const struct metric_scale *scale,
			char text[METRIC_TEXT_SIZE]);
/* "better", "worse?", "unclear ≤19.7%, ~40 runs decide": the largest difference that could have been missed, and
 * how many runs of each set would decide; "unclear ≤19.7%, small" if comparison_is_small(). */
const char *verdict_text(const struct comparison_cell *cell, const struct metric_scale *scale,
			 char text[METRIC_TEXT_SIZE]);
/* Why there is no verdict on a set against the first one: VERDICT_NONE, VERDICT_NOT_EXERCISED, VERDICT_TOO_FEW. */
const char *no_verdict_text(const struct comparison_row *row, size_t set, char text[METRIC_TEXT_SIZE]);
/* "12%", the spread in percent of the median; "" if it is unknown. */
const char *spread_text(const struct comparison_sample *sample, char text[METRIC_TEXT_SIZE]);

#endif
