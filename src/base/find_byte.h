/* SPDX-License-Identifier: MIT
 *
 * Searches in text whose lines and fields are longer than a word: inlined, 16 bytes at a time with SSE2. */
#ifndef BASE_FIND_BYTE_H
#define BASE_FIND_BYTE_H

#include <stddef.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

/* The first such byte from at on, or end. */
static inline const char *find_byte(const char *at, const char *end, char wanted)
{
#ifdef __SSE2__
	const __m128i pattern = _mm_set1_epi8(wanted);

	for (; end - at >= 16; at += 16) {
		const __m128i bytes = _mm_loadu_si128((const __m128i *)at);
		int found = _mm_movemask_epi8(_mm_cmpeq_epi8(bytes, pattern));
		if (found)
			return at + __builtin_ctz((unsigned int)found);
	}
#endif
	while (at < end && *at != wanted)
		at++;
	return at;
}

/* The first of any of three bytes, or end. */
static inline __attribute__((always_inline)) const char *find_any(const char *at, const char *end, const char wanted[3])
{
#ifdef __SSE2__
	const __m128i one = _mm_set1_epi8(wanted[0]), two = _mm_set1_epi8(wanted[1]), three = _mm_set1_epi8(wanted[2]);

	for (; end - at >= 16; at += 16) {
		const __m128i bytes = _mm_loadu_si128((const __m128i *)at);
		const __m128i equal = _mm_or_si128(_mm_or_si128(_mm_cmpeq_epi8(bytes, one), _mm_cmpeq_epi8(bytes, two)),
						   _mm_cmpeq_epi8(bytes, three));
		int found = _mm_movemask_epi8(equal);
		if (found)
			return at + __builtin_ctz((unsigned int)found);
	}
#endif
	while (at < end && *at != wanted[0] && *at != wanted[1] && *at != wanted[2])
		at++;
	return at;
}

/* The last such byte between at and end, or NULL. */
static inline const char *find_last_byte(const char *at, const char *end, char wanted)
{
#ifdef __SSE2__
	const __m128i pattern = _mm_set1_epi8(wanted);

	for (; end - at >= 16; end -= 16) {
		const __m128i bytes = _mm_loadu_si128((const __m128i *)(end - 16));
		int found = _mm_movemask_epi8(_mm_cmpeq_epi8(bytes, pattern));
		if (found)
			return end - 16 + (31 - __builtin_clz((unsigned int)found));
	}
#endif
	while (end > at)
		if (*--end == wanted)
			return end;
	return NULL;
}

#endif
