/* SPDX-License-Identifier: MIT */
#include "print/forms.h"

#include <string.h>

/* Forms of picknext have the options that every analysis has; --format selects forms that another program defines. */
const struct compare_form compare_forms[] = {
    {"text", "(default)", "tables for people", compare_write_text},
    {"json", "--json", "every row with the values of every run, environment, gates", compare_write_json},
    {"csv", "--csv", "every row, one line per workload, metric and set", compare_write_csv},
    {"markdown", "--format markdown", "the tables of the text, for a comment on a merge request",
     compare_write_markdown},
    {"ktap", "--format ktap", "the kernel's test format: a test for each workload, a subtest for each gate or metric",
     compare_write_ktap},
    {.name = NULL},
};

const char compare_form_choices[] = "markdown|ktap";

const struct compare_form *compare_form_find(const char *name)
{
	for (const struct compare_form *form = compare_forms; form->name; form++)
		if (strcmp(form->name, name) == 0)
			return form;
	return NULL;
}
