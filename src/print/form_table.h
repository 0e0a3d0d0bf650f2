/* SPDX-License-Identifier: MIT
 *
 * The output forms of picknext compare, one row each: help and parsing read them. A new form is its file, its function
 * in forms.h and its row. */
#ifndef PRINT_FORM_TABLE_H
#define PRINT_FORM_TABLE_H

#include "print/forms.h"

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

#endif
