/* SPDX-License-Identifier: MIT
 *
 * Splits lines of CSV into their fields. Pure; input is hostile. */
#ifndef DATA_PREDICT_FIELDS_H
#define DATA_PREDICT_FIELDS_H

#include "data/csv.h"

/* Where a line starts, and its number. */
struct fields_cursor {
	const char *at, *end;
	uint64_t line;
};

/* What a line has. */
struct fields_wanted {
	size_t columns, kept; /* the first ones are kept */
};

enum fields_found { FIELDS_OK, FIELDS_OPEN_QUOTE, FIELDS_TEXT_AFTER_QUOTE, FIELDS_WRONG_NUMBER };

/* Fields include their quotes; the last one has no CR. With FIELDS_OK the cursor is at the next line. */
enum fields_found fields_split(struct fields_cursor *cursor, struct fields_wanted wanted, struct csv_text *fields);

#endif
