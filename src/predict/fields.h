/* SPDX-License-Identifier: MIT
 *
 * Splits lines of CSV into their fields. Pure; input is hostile. */
#ifndef PREDICT_FIELDS_H
#define PREDICT_FIELDS_H

#include "dataset/csv.h"

/* What a line should have. */
struct fields_wanted {
	size_t count;
	bool may_have_more; /* which are left out */
};

enum fields_found { FIELDS_OK, FIELDS_OPEN_QUOTE, FIELDS_WRONG_NUMBER };

/* Fields include their quotes; the last one has no CR. *at: where the line starts, then where the next one does. */
enum fields_found fields_split(const char **at, const char *end, struct fields_wanted wanted, struct csv_text *fields);

#endif
