/* SPDX-License-Identifier: MIT
 *
 * A comparison with its output options, and the parts that all formats share: the selection of rows, and the summary
 * in words. The formats are in print/forms.h. */
#ifndef COMPARE_COMPARISON_TEXT_H
#define COMPARE_COMPARISON_TEXT_H

#include "base/buffer.h"
#include "compare/comparison_rows.h"
#include "compare/gate.h"

struct remarks;
struct remark_lines;
struct run_set;

struct compare_output {
	const struct comparison_rows *rows;
	const struct comparison_choice *choice;
	const struct compare_gates *gates;
	const struct remarks *remarks;
	bool all;           /* also rows without a value or with only 0, and workloads of only one set */
	bool changed;       /* only rows with a difference */
	bool overview;      /* one row per workload, in text and Markdown */
	bool gates_only;    /* in text and Markdown */
	unsigned int width; /* of the terminal; 0: unlimited */
};

/* True if the text table shows this row. */
bool compare_wants_row(const struct compare_output *output, const struct comparison_row *row);

/* Adds a recorded name; escapes every character that could control a terminal. */
void compare_add_name(struct buffer *out, const char *name);

/* Adds a line, with the label (NULL: none): in how many boots the guests' kernel reported a fault, such as a WARNING;
 * the first of these, and the file that has all. Nothing without one. */
void run_set_add_faults(const struct run_set *set, const char *label, struct buffer *out);
/* Adds the lines of rules_findings_text() for a set with keys: the share of decisions that follow the rule, how others
 * break it, and broken invariants. Without keys it adds nothing. */
void run_set_add_decisions(const struct run_set *set, const char *label, struct buffer *out);
/* The same of each set. */
void compare_add_decisions(const struct compare_output *output, struct remark_lines *lines);
/* The first lines: faults that the guests' kernels reported; how often the workloads executed the change of each set
 * (compare/reach.h); and for each set that does not differ from the first in any tested metric, that it does not. */
void compare_add_answer(const struct compare_output *output, struct remark_lines *lines);
/* The main findings of each set, in words and values: of each workload up to two significant changes for the worse,
 * then for the better, the largest first, and the workloads with the largest first. A change is as large as the factor
 * between the medians; below its floor a metric counts as the floor. Then how many workloads have no line. Nothing if
 * there are none. */
void compare_add_findings(const struct compare_output *output, struct remark_lines *lines);
/* The summary of each set after the first, on a few lines, and what it means. */
void compare_add_summaries(const struct compare_output *output, struct remark_lines *lines);
/* "25 of 69 metrics differ (up to 4 expected by chance); ..." for one set. Empty if no metric differs. */
void compare_add_difference_count(const struct comparison_count *count, bool is_strict, struct buffer *out);

#endif
