/* SPDX-License-Identifier: MIT
 *
 * Copies of a few bytes. musl's memcpy() takes 20 ns for any length, which is most of the time of writing short fields.
 */
#ifndef BASE_COPY_H
#define BASE_COPY_H

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
	} else if (length > 0) { /* gcc makes a call of memcpy() of a loop */
		to[0] = from[0];
		to[length / 2] = from[length / 2];
		to[length - 1] = from[length - 1];
	}
	return length ? to + length : to; /* may be NULL */
}

#endif
