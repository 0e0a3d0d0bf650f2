/* SPDX-License-Identifier: MIT
 *
 * One field of a CSV row as Python's csv module writes it: quoted only if it contains a comma, a quote, CR or LF, with
 * quotes inside doubled (RFC 4180). The bytes are copied unchanged, even if they are not UTF-8. */
#ifndef BASE_CSV_FIELD_H
#define BASE_CSV_FIELD_H

#include <stddef.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "base/buffer.h"

/* The most bytes that a field of this length takes. */
#define CSV_FIELD_MAX(length) (2 * (size_t)(length) + 2)
/* Writes a field without a NUL and returns its end. to has room for CSV_FIELD_MAX(length) bytes. */
char *csv_field_put(char *to, const char *bytes, size_t length);
/* The same for a task's name, the first bytes of an array that is read and written whole. */
#define CSV_NAME_SIZE 16
static inline char *csv_field_put_name(char *to, const char name[CSV_NAME_SIZE], size_t length)
{
#ifdef __SSE2__
	const __m128i bytes = _mm_loadu_si128((const __m128i *)name);
	int low = _mm_movemask_epi8(_mm_cmplt_epi8(bytes, _mm_set1_epi8('-')));

	/* All characters that need quotes are below '-'; most bytes of names are not. */
	if (!(low & ((1 << length) - 1))) {
		_mm_storeu_si128((__m128i *)to, bytes);
		return to + length;
	}
#endif
	return csv_field_put(to, name, length);
}
/* Appends a field. */
void csv_field_add(struct buffer *out, const char *bytes, size_t length);

#endif
