/* SPDX-License-Identifier: MIT */
#include "base/csv_field.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/copy.h"

static char *put_quoted(char *to, const char *bytes, size_t length)
{
	*to++ = '"';
	for (size_t i = 0; i < length; i++) {
		if (bytes[i] == '"')
			*to++ = '"';
		*to++ = bytes[i];
	}
	*to++ = '"';
	return to;
}

/* Nonzero if one of the eight bytes is c. */
static uint64_t has_byte(uint64_t eight, unsigned char c)
{
	const uint64_t ones = UINT64_C(0x0101010101010101);
	uint64_t zero_where_found = eight ^ ones * c;

	return (zero_where_found - ones) & ~zero_where_found & ones << 7;
}

static bool needs_quotes(uint64_t eight)
{
	/* All four special characters are below '-'; most bytes of names are not, so one test usually decides. */
	if (!((eight - UINT64_C(0x2d2d2d2d2d2d2d2d)) & ~eight & UINT64_C(0x8080808080808080)))
		return false;
	return has_byte(eight, ',') | has_byte(eight, '"') | has_byte(eight, '\r') | has_byte(eight, '\n');
}

/* Checks eight bytes at a time; the last eight overlap the previous ones. Names are short and rarely need quotes. */
char *csv_field_put(char *to, const char *bytes, size_t length)
{
	uint64_t eight = UINT64_MAX;

	if (length < 8) {
		for (size_t i = 0; i < length; i++)
			eight = eight << 8 | (unsigned char)bytes[i];
		if (needs_quotes(eight))
			return put_quoted(to, bytes, length);
		return copy_short(to, bytes, length);
	}
	for (size_t at = 0;; at = at + 16 < length ? at + 8 : length - 8) {
		memcpy(&eight, bytes + at, 8);
		if (needs_quotes(eight))
			return put_quoted(to, bytes, length);
		memcpy(to + at, &eight, 8);
		if (at + 8 == length)
			return to + length;
	}
}

void csv_field_add(struct buffer *out, const char *bytes, size_t length)
{
	char *to = buffer_reserve(out, CSV_FIELD_MAX(length));
	char *end = csv_field_put(to, bytes, length);

	*end = '\0';
	out->length += (size_t)(end - to);
}
