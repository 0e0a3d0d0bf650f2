/* SPDX-License-Identifier: MIT
 *
 * The events that picknext understands, one row each. To add one: its kind and members in trace/event.h, its row in
 * event_rows.c, and its meaning for tasks in trace/task_states.c. */
#ifndef TRACE_EVENT_ROWS_H
#define TRACE_EVENT_ROWS_H

#include <string.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "trace/event.h"
#include "trace/format/event_format.h"
#include "trace/format/ring_page.h"

#define EVENT_FIELDS_MAX 8

enum event_use {
	EVENT_NEEDED,   /* recorded by default; a trace without it is refused */
	EVENT_RECORDED, /* recorded by default */
	EVENT_OPTIONAL, /* recorded by default, if the kernel has it */
	EVENT_EXTRA,    /* recorded only with certain options; if a field is unusable, the event is not decoded */
};

/* A number may have any size in a record; usually it has the size of its member in struct sched_event. */
enum event_field_type {
	EVENT_NUMBER = 1, /* uint32_t */
	EVENT_SIGNED,     /* int32_t */
	EVENT_LONG,       /* uint64_t */
	EVENT_STATE,      /* uint64_t: the state of a task, raw */
	EVENT_NAME,       /* struct sched_comm: char comm[16] in older kernels, __data_loc char[] comm in newer ones */
	EVENT_TEXT,       /* struct sched_text: from its offset to the end of the record */
};

struct event_row_field {
	const char *name; /* as in the event's format; NULL after the last field */
	enum event_field_type type;
	size_t member;    /* its offset in struct sched_event */
	bool is_optional; /* the member is 0 if the kernel has no such field */
};

/* A field in the records of one trace. */
struct event_place {
	uint32_t offset, size;
	bool is_signed;
	enum field_array array;
};

/* An event in one trace. */
struct event_layout {
	bool known; /* the trace has it */
	bool plain; /* its fields have the usual types: decode.h */
	uint32_t id;
	uint32_t min_length; /* a shorter record cannot hold the fields */
	struct event_place places[EVENT_FIELDS_MAX];
};

struct event_row {
	const char *system, *name;
	const char *help; /* what the event shows */
	enum event_use use;
	bool is_frequent; /* decode.h has a fast path for it */
	struct event_row_field fields[EVENT_FIELDS_MAX + 1];
};

/* By enum sched_event_kind. */
extern const struct event_row event_rows[SCHED_EVENT_ROWS];

/* Sets the member of a field that is a number. */
void event_field_set(const struct event_row_field *field, uint64_t number, struct sched_event *event);

/* Fills the members of event->kind from a record of at least layout->min_length bytes. False if a name extends beyond
 * the record. */
bool event_row_decode(const struct event_layout *layout, const struct ring_record *record, struct sched_event *event);

/* How to read a field; the caller has checked the length of the record. */

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

/* A bit for each NUL among the 16 bytes. Only the first one is reliable; bits after it may be wrong. */
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
