/* SPDX-License-Identifier: MIT
 *
 * Copies and comparisons of a few bytes. musl's memcpy() takes 20 ns for any length, which is most of the time of
 * writing short fields; its memcmp() goes byte by byte. */
#ifndef BASE_COPY_H
#define BASE_COPY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Like memcpy(), but fast up to 64 bytes; from may be NULL if length is 0. Returns the end of the copy. */
static inline char *copy_short(char *to, const char *from, size_t length)
{
	uint64_t eight;
	uint32_t four;

	if (length > 64) {
		memcpy(to, from, length);
		return to + length;
	}
	if (length >= 8) {
		for (size_t at = 0; at + 8 < length; at += 8) {
			memcpy(&eight, from + at, 8);
			memcpy(to + at, &eight, 8);
		}
		memcpy(&eight, from + length - 8, 8);
		memcpy(to + length - 8, &eight, 8);
	} else if (length >= 4) {
		memcpy(&four, from, 4);
		memcpy(to, &four, 4);
		memcpy(&four, from + length - 4, 4);
		memcpy(to + length - 4, &four, 4);
	} else {
		for (size_t at = 0; at < length; at++)
			to[at] = from[at];
	}
	return to + length;
}

static inline uint64_t copy_eight(const char *from)
{
	uint64_t eight;

	memcpy(&eight, from, 8);
	return eight;
}

/* Whether both have the same bytes. */
static inline bool same_short(const char *a, const char *b, size_t length)
{
	if (length < 8) {
		while (length > 0 && a[length - 1] == b[length - 1])
			length--;
		return length == 0;
	}
	for (size_t at = 0; at + 8 < length; at += 8)
		if (copy_eight(a + at) != copy_eight(b + at))
			return false;
	return copy_eight(a + length - 8) == copy_eight(b + length - 8);
}

#endif
