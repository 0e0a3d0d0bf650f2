/* SPDX-License-Identifier: MIT
 *
 * The output forms of picknext compare, one row each: help and parsing read them. A new form is its file, its function
 * here and its row in form_table.c. Also the forms of --history. */
#ifndef PRINT_FORMS_H
#define PRINT_FORMS_H

#include "compare/comparison_text.h"
#include "compare/history.h"

struct compare_form {
	const char *name;
	const char *option; /* that chooses it */
	const char *help;   /* what it holds, one line */
	void (*write)(const struct compare_output *output, struct buffer *out);
};

/* A row without a name ends it. */
extern const struct compare_form compare_forms[];
/* The values of --format. */
extern const char compare_form_choices[];

/* NULL if there is none of this name. */
const struct compare_form *compare_form_find(const char *name);

void compare_write_text(const struct compare_output *output, struct buffer *out);
void compare_write_json(const struct compare_output *output, struct buffer *out);
void compare_write_csv(const struct compare_output *output, struct buffer *out);
void compare_write_markdown(const struct compare_output *output, struct buffer *out);
/* In the next three each gate at each workload is a test, or without gates each metric of each workload that is
 * exercised. A gate that fails is a failure; an inconclusive one is an error, or skipped if it counts as passed, as one
 * is that is not exercised. */
void compare_write_junit(const struct compare_output *output, struct buffer *out);
void compare_write_ktap(const struct compare_output *output, struct buffer *out);
void compare_write_kcidb(const struct compare_output *output, struct buffer *out);

/* --history. A table for each workload, with a row for each set, and the changes. all: also metrics without a change.
 */
void history_write_text(const struct history *history, bool all, unsigned int width, struct buffer *out);
void history_write_json(const struct history *history, struct buffer *out);

#endif
