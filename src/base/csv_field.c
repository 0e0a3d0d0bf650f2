/* SPDX-License-Identifier: MIT */
#include "base/csv_field.h"

#include <stdbool.h>

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

char *csv_field_put(char *to, const char *bytes, size_t length)
{
	for (size_t i = 0; i < length; i++) {
		if (needs_quotes[(unsigned char)bytes[i]])
			return put_quoted(to, bytes, length);
		to[i] = bytes[i];
	}
	return to + length;
}

void csv_field_add(struct buffer *out, const char *bytes, size_t length)
{
	char *to = buffer_reserve(out, CSV_FIELD_MAX(length));
	char *end = csv_field_put(to, bytes, length);

	*end = '\0';
	out->length += (size_t)(end - to);
}
