/* SPDX-License-Identifier: MIT */
#include "print/forms.h"

#include <string.h>

const struct compare_form compare_forms[] = {
    {"text", "tables for people, the default", .write = compare_write_text, .is_option = true},
    {"json", "every row with the values of every run, environment, gates", .write = compare_write_json,
     .is_option = true},
    {"csv", "every row, one line per workload, metric and set", .write = compare_write_csv, .is_option = true},
    {"markdown", "the tables of the text, for a comment on a merge request", .write = compare_write_markdown},
    {"junit", "JUnit XML: a test case for each gate, or without gates each metric", .write = compare_write_junit},
    {"ktap", "the kernel's test format: a test for each workload, the same cases below", .write = compare_write_ktap},
    {"kcidb",
     "KernelCI's schema 5.3: a build for each set, a test for each gate (PASS, FAIL, ERROR if inconclusive), "
     "or without gates a measurement (DONE) for each metric and set",
     .write = compare_write_kcidb},
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

void compare_forms_add_rows(struct buffer *out)
{
	enum { NAME_WIDTH = 18 };

	for (const struct compare_form *form = compare_forms + 1; form->name; form++)
		buffer_printf(out, "  --%s%-*s  %s\n", form->is_option ? "" : "format ",
			      NAME_WIDTH - 2 - (form->is_option ? 0 : 7), form->name, form->help);
}
