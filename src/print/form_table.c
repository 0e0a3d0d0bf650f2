/* SPDX-License-Identifier: MIT */
#include "print/form_table.h"

#include <string.h>

static const struct {
	const char *name;
	compare_form *write;
} forms[] = {
    {"tap", compare_write_tap},     {"junit", compare_write_junit}, {"ktap", compare_write_ktap},
    {"kcidb", compare_write_kcidb}, {"csv", compare_write_series},  {"benchfmt", compare_write_benchfmt},
};

compare_form *compare_form_find(const char *name)
{
	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++)
		if (strcmp(forms[i].name, name) == 0)
			return forms[i].write;
	return NULL;
}
