/* SPDX-License-Identifier: MIT
 *
 * The forms that a comparison is written in. */
#ifndef COMPARE_OUTPUT_H
#define COMPARE_OUTPUT_H

#include "base/buffer.h"
#include "compare/comparison_rows.h"
#include "compare/gate.h"

struct compare_output {
	const struct comparison_rows *rows;
	const struct comparison_choice *choice;
	const struct compare_gates *gates;
	const struct buffer *notices; /* what has to be known before the figures are: lines of harmless text */
	bool all;                     /* rows without any value, or all 0, and workloads that only one set has, too */
	bool changed;                 /* only rows where a difference was shown */
	bool overview;                /* one row for each workload, in text and Markdown */
	unsigned int width;           /* of the terminal; 0 any */
};

/* Rows that are to be shown. */
bool compare_wants_row(const struct compare_output *output, const struct comparison_row *row);

void compare_write_text(const struct compare_output *output, struct buffer *out);
void compare_write_markdown(const struct compare_output *output, struct buffer *out);
/* Their part in the overview. */
void compare_write_overview(const struct compare_output *output, bool is_markdown, struct buffer *out);
void compare_write_csv(const struct compare_output *output, struct buffer *out);
void compare_write_json(const struct compare_output *output, struct buffer *out);
/* Each gate at each workload is a test, or where there are no gates each figure of each workload: a gate that fires has
 * failed, one that is undecided is an error. */
void compare_write_tap(const struct compare_output *output, struct buffer *out);
void compare_write_junit(const struct compare_output *output, struct buffer *out);

/* A name made harmless. */
void compare_add_name(struct buffer *out, const char *name);
/* The end of "2 of 5 trace", unknown of count: "s have no JSON beside them". */
const char *compare_no_json(size_t count, size_t unknown);
/* Whether all traces are taken to be of one workload, and of which, in a line; nothing where they are not. */
void compare_add_taken_as_one(const struct comparison_rows *rows, struct buffer *out);
/* What has to be known before the figures: what differs but the kernel, what is missing, what is not to be trusted. */
void compare_add_notices(const struct comparison_rows *rows, struct buffer *out);
/* The summary in words: a line for each set after the first. */
void compare_add_summary(const struct compare_output *output, size_t set, struct buffer *out);

#endif
