/* SPDX-License-Identifier: MIT */
#include "print/forms.h"

#include <string.h>

/* Forms for people's own programs have the options of every analysis; --format has those that another program
 * prescribes. */
const struct compare_form compare_forms[] = {
    {"text", "(default)", "tables for people", compare_write_text},
    {"json", "--json", "every row with the values of every run, environment, gates", compare_write_json},
    {"csv", "--csv", "every row, one line per workload, metric and set", compare_write_csv},
    {"markdown", "--format markdown", "the tables of the text, for a comment on a merge request",
     compare_write_markdown},
    {"junit", "--format junit", "JUnit XML: a test case for each gate, or without gates each metric",
     compare_write_junit},
    {"ktap", "--format ktap", "the kernel's test format: a test for each workload, the same cases below",
     compare_write_ktap},
    {"kcidb", "--format kcidb",
     "KernelCI's schema 5.3: a build for each set, a test for each gate (PASS, FAIL, ERROR if inconclusive), or "
     "without gates a measurement (DONE) for each metric and set",
     compare_write_kcidb},
    {.name = NULL},
};

const char compare_form_choices[] = "markdown|junit|ktap|kcidb";

const struct compare_form *compare_form_find(const char *name)
{
	for (const struct compare_form *form = compare_forms; form->name; form++)
		if (strcmp(form->name, name) == 0)
			return form;
	return NULL;
}
