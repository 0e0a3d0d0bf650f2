/* SPDX-License-Identifier: MIT */
#include "base/csv_field.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

static const bool needs_quotes[256] = {[','] = true, ['"'] = true, ['\r'] = true, ['\n'] = true};

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

static char *put_bytes(char *to, const char *bytes, size_t length)
{
	for (size_t i = 0; i < length; i++) {
		if (needs_quotes[(unsigned char)bytes[i]])
			return put_quoted(to, bytes, length);
		to[i] = bytes[i];
	}
	return to + length;
}

/* True if one of the eight bytes is below '-', as all are that need quotes, and few in names. */
static bool has_below_minus(uint64_t eight)
{
	return (eight - UINT64_C(0x2d2d2d2d2d2d2d2d)) & ~eight & UINT64_C(0x8080808080808080);
}

/* Most names have 8 to 15 bytes: two words, of which the second overlaps the first. */
char *csv_field_put(char *to, const char *bytes, size_t length)
{
	uint64_t first, last;

	if (length < 8 || length > 16)
		return put_bytes(to, bytes, length);
	memcpy(&first, bytes, 8);
	memcpy(&last, bytes + length - 8, 8);
	if (has_below_minus(first) || has_below_minus(last))
		return put_bytes(to, bytes, length);
	memcpy(to, &first, 8);
	memcpy(to + length - 8, &last, 8);
	return to + length;
}

void csv_field_add(struct buffer *out, const char *bytes, size_t length)
{
	char *to = buffer_reserve(out, CSV_FIELD_MAX(length));
	char *end = csv_field_put(to, bytes, length);

	*end = '\0';
	out->length += (size_t)(end - to);
}
