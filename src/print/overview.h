/* SPDX-License-Identifier: MIT
 *
 * The overview of a comparison: one row per workload, one column per metric, changes only. */
#ifndef PRINT_OVERVIEW_H
#define PRINT_OVERVIEW_H

#include "compare/comparison_text.h"

struct compare_overview {
	const struct compare_output *output;
	const struct metric *metrics[METRICS_MAX]; /* those of --metric, otherwise the main ones */
	size_t metric_count;
};

#define OVERVIEW_CELL_SIZE (2 * 64)
#define OVERVIEW_LEGEND                                                                                                \
	"✓ better, ✗ worse, ≠ different, = equal, ≈ negligible, ~ unclear: ≤ is the\n"                       \
	"largest difference that could have been missed. -: no value, or the same in all\n"                            \
	"runs. ?: not significant after correction; (): needs ≥5 runs. --details shows\n"                            \
	"all metrics, with values and intervals.\n\n"

struct compare_overview compare_overview_make(const struct compare_output *output);
/* "+12.3% ✓?", the change right-aligned in width columns; in brackets if there are too few runs. */
void compare_overview_cell(const struct compare_overview *overview, const struct comparison_workload *workload,
			   size_t metric, size_t set, int width, char text[OVERVIEW_CELL_SIZE]);
/* All sets after the first, as text tables. */
void compare_overview_write(const struct compare_output *output, struct buffer *out);

#endif
