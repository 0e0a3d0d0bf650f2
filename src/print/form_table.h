/* SPDX-License-Identifier: MIT
 *
 * The forms of --format by name. */
#ifndef PRINT_FORM_TABLE_H
#define PRINT_FORM_TABLE_H

#include "print/forms.h"

typedef void compare_form(const struct compare_output *output, struct buffer *out);

/* NULL if there is none of this name. */
compare_form *compare_form_find(const char *name);

#endif
