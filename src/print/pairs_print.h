/* SPDX-License-Identifier: MIT
 *
 * The tables of who preempted whom and who woke whom. */
#ifndef PRINT_PAIRS_PRINT_H
#define PRINT_PAIRS_PRINT_H

#include "measure/pairs.h"
#include "print/analysis_print.h"

/* The data behind a table of pairs. */
struct pairs_shown {
	char title[128];
	struct table_column columns[20];
};

/* The pairs of a kind, at most --top of them, longest sum of waits first. *shown must outlive the table. */
struct analysis_table pairs_table(const struct pairs *pairs, const struct pass *pass, enum pair_kind kind,
				  struct pairs_shown *shown);
enum status pairs_print(const struct pairs *pairs, const struct analysis_options *options, const struct pass *pass,
			struct error *err);

#endif
