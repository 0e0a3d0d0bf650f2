/* SPDX-License-Identifier: MIT
 *
 * The overview of a comparison: one row per workload, one column per metric, changes only. */
#ifndef PRINT_OVERVIEW_H
#define PRINT_OVERVIEW_H

#include "compare/comparison_text.h"
#include "print/table.h"

#define OVERVIEW_LEGEND                                                                                                \
	"✓ better, ✗ worse, ≠ different, = equal, ≈ negligible, ~ unclear: ≤ is the\n"                       \
	"largest difference that could have been missed. -: no value, or the same in all\n"                            \
	"runs. ?: not significant after correction; (): needs ≥5 runs. --details shows\n"                            \
	"all metrics, with values and intervals."
#define OVERVIEW_LEGEND_WIDTH 79

#define OVERVIEW_HEADING_SIZE 64

/* The columns: of --metric, otherwise those with the most significant differences, and the main ones. */
struct compare_overview {
	const struct metric *metrics[METRICS_MAX];
	char headings[METRICS_MAX][OVERVIEW_HEADING_SIZE];
	struct table_column columns[METRICS_MAX + 2];
	size_t metric_count;
	size_t hidden; /* significant differences of other metrics */
};

void compare_overview_make(const struct compare_output *output, struct compare_overview *overview);
/* One set against the first: "+12.3% ✓?", in brackets if there are too few runs. The overview must outlive the table.
 */
void compare_overview_fill(const struct compare_output *output, const struct compare_overview *overview, size_t set,
			   struct table *table);

#endif
