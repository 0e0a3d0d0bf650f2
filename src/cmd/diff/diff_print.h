/* SPDX-License-Identifier: MIT
 *
 * The result of picknext diff as text, CSV and JSON. */
#ifndef CMD_DIFF_DIFF_PRINT_H
#define CMD_DIFF_DIFF_PRINT_H

#include "analysis/diff_context.h"
#include "cmd/analysis_print.h"

struct diff_options {
	struct analysis_options analysis;
	struct task_choice tasks_wanted; /* by name alone */
	uint64_t context;
	const char *events, *by;
	bool exact, tasks;
};

/* Writes the result in the form that was asked for. May read the traces again, for the context. */
enum status diff_print(const struct diff_options *options, struct trace_diff *diff, struct error *err);

#endif
