/* SPDX-License-Identifier: MIT
 *
 * One field of a CSV row as Python's csv module writes it: quoted only if it contains a comma, a quote, CR or LF, with
 * quotes inside doubled (RFC 4180). The bytes are copied unchanged, even if they are not UTF-8. */
#ifndef BASE_CSV_FIELD_H
#define BASE_CSV_FIELD_H

#include <stddef.h>

#include "base/buffer.h"

/* Max number of bytes of a field of this length. */
#define CSV_FIELD_MAX(length) (2 * (size_t)(length) + 2)
/* Writes a field without a NUL and returns its end. to has room for CSV_FIELD_MAX(length) bytes. */
char *csv_field_put(char *to, const char *bytes, size_t length);
/* Appends a field. */
void csv_field_add(struct buffer *out, const char *bytes, size_t length);

#endif
