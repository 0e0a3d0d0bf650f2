/* SPDX-License-Identifier: MIT
 *
 * The findings of picknext check-rule: decisions by cause, decisions that are not judged, breaks and invariants, as
 * tables. */
#ifndef PRINT_RULES_PRINT_H
#define PRINT_RULES_PRINT_H

#include "print/analysis_print.h"
#include "rules/reading.h"

/* Writes the findings in the form that the options choose. */
enum status rules_print(const struct rules_reading *reading, const struct analysis_options *given,
			const struct pass *pass, struct error *err);
/* The first lines, without the last newline: the trace that is not to be trusted, and rules_findings_text(). */
void rules_print_findings(const struct rules_reading *reading, const struct pass *pass, const char *label,
			  struct buffer *out);
/* The error of the worst trace, if it is not to be trusted. */
enum status rules_print_find_doubt(const struct rules_reading *reading, const struct pass *pass, struct error *err);

#endif
