/* SPDX-License-Identifier: MIT
 *
 * A field in the records of one trace, and how to read it. The caller has checked the length of the record. */
#ifndef TRACE_EVENT_PLACE_H
#define TRACE_EVENT_PLACE_H

#include <string.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "trace/event.h"
#include "trace/format/event_format.h"

struct event_place {
	uint32_t offset, size;
	bool is_signed;
	enum field_array array;
};

/* A number of 1, 2, 4 or 8 bytes. */
static inline uint64_t decode_number(const struct event_place *place, const uint8_t *data)
{
	const uint8_t *from = data + place->offset;
	uint16_t half;
	uint32_t word;
	uint64_t whole;

	switch (place->size) {
	case 4:
		memcpy(&word, from, sizeof(word));
		return place->is_signed ? (uint64_t)(int64_t)(int32_t)word : word;
	case 8:
		memcpy(&whole, from, sizeof(whole));
		return whole;
	case 2:
		memcpy(&half, from, sizeof(half));
		return place->is_signed ? (uint64_t)(int64_t)(int16_t)half : half;
	default:
		return place->is_signed ? (uint64_t)(int64_t)(int8_t)*from : *from;
	}
}

/* A bit for each of the 16 bytes that is NUL; those after the first may be wrong. */
#ifdef __SSE2__
static inline uint32_t decode_plain_nuls(const uint8_t *from)
{
	const __m128i name = _mm_loadu_si128((const __m128i *)from);

	return (uint32_t)_mm_movemask_epi8(_mm_cmpeq_epi8(name, _mm_setzero_si128()));
}
#else
static inline uint32_t decode_plain_nuls(const uint8_t *from)
{
	const uint64_t ones = UINT64_C(0x0101010101010101);
	uint32_t found = 0;

	for (unsigned int half = 0; half < 2; half++) {
		uint64_t bytes;
		memcpy(&bytes, from + 8 * half, sizeof(bytes));
		uint64_t nuls = (bytes - ones) & ~bytes & (ones << 7);
		found |= (uint32_t)((nuls >> 7) * UINT64_C(0x0102040810204080) >> 56) << 8 * half;
	}
	return found;
}
#endif

/* Without a branch: the lengths of names follow no pattern. */
static inline void decode_plain_name(const uint8_t *from, struct sched_comm *comm)
{
	memcpy(comm->bytes, from, SCHED_COMM_SIZE);
	comm->length = (uint8_t)__builtin_ctz(decode_plain_nuls(from) | 1u << SCHED_COMM_SIZE);
}

#endif
