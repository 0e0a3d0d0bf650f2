/* SPDX-License-Identifier: MIT
 *
 * The output forms of picknext compare, one row each: help and parsing read them. A new form is its file, its function
 * here and its row in form_table.c. */
#ifndef PRINT_FORMS_H
#define PRINT_FORMS_H

#include "compare/comparison_text.h"

struct compare_form {
	const char *name;
	const char *option; /* the option that selects the form */
	const char *help;   /* contents, one line */
	void (*write)(const struct compare_output *output, struct buffer *out);
};

/* Ends with a row without a name. */
extern const struct compare_form compare_forms[];
/* The values of --format. */
extern const char compare_form_choices[];

/* NULL if there is no form of this name. */
const struct compare_form *compare_form_find(const char *name);

void compare_write_text(const struct compare_output *output, struct buffer *out);
void compare_write_json(const struct compare_output *output, struct buffer *out);
void compare_write_csv(const struct compare_output *output, struct buffer *out);
void compare_write_markdown(const struct compare_output *output, struct buffer *out);
/* Writes the file of --junit FILE, which can be combined with any form. In JUnit and KTAP each gate at each workload is
 * a test; without gates, each exercised metric of each workload is one. A failed gate is a failure. An inconclusive
 * gate is an error; it is skipped if it counts as passed. A gate that is not exercised is skipped, too. */
void compare_write_junit(const struct compare_output *output, struct buffer *out);
void compare_write_ktap(const struct compare_output *output, struct buffer *out);

#endif
