/* SPDX-License-Identifier: MIT
 *
 * Formats the values of a comparison as text. */
#ifndef COMPARE_METRIC_TEXT_H
#define COMPARE_METRIC_TEXT_H

#include "compare/comparison.h"

#define METRIC_TEXT_SIZE 64

/* With about four digits: "0.1234", "12.34", "123456"; "-" if it is unknown. All return text. */
const char *metric_value_text(double value, char text[METRIC_TEXT_SIZE]);
/* "+12.3%", "x13.1" from +1000% on, or "+12.3" in the metric's unit if the first is 0. */
const char *change_text(const struct comparison *comparison, char text[METRIC_TEXT_SIZE]);
/* "[+8.1, +16.9]", in the unit of the change; "" if the interval is unknown. */
const char *interval_text(const struct comparison *comparison, char text[METRIC_TEXT_SIZE]);
/* "12%", the spread in percent of the median; "" if it is unknown. */
const char *spread_text(const struct comparison_sample *sample, char text[METRIC_TEXT_SIZE]);

#endif
