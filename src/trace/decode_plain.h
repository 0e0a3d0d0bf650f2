/* SPDX-License-Identifier: MIT
 *
 * What nearly all events of nearly all traces need of sched_decode(), inlined into the loop over them. */
#ifndef TRACE_DECODE_PLAIN_H
#define TRACE_DECODE_PLAIN_H

#include <string.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "trace/decoder.h"
#include "trace/format/ring_page.h"

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

/* Source: enum trace_flag_type in include/linux/trace_events.h; the same since Linux 2.6. */
static inline enum sched_context decode_context(uint64_t flags)
{
	enum { HARDIRQ = 0x08, SOFTIRQ = 0x10, NMI = 0x40 };

	return flags & (HARDIRQ | NMI) ? SCHED_CONTEXT_HARDIRQ
	       : flags & SOFTIRQ       ? SCHED_CONTEXT_SOFTIRQ
				       : SCHED_CONTEXT_TASK;
}

/* A number of 1, 2, 4 or 8 bytes. The caller has checked the length of the record. */
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

static inline uint32_t decode_plain_word(const struct event_place *place, const uint8_t *data)
{
	uint32_t word;

	memcpy(&word, data + place->offset, sizeof(word));
	return word;
}

static inline void decode_plain_task(const struct event_place places[3], const uint8_t *data, struct sched_task *task)
{
	task->pid = (int32_t)decode_plain_word(&places[1], data);
	task->prio = (int32_t)decode_plain_word(&places[2], data);
	decode_plain_name(data + places[0].offset, &task->comm);
}

/* The fields of a plain layout, as their row's decode() reads them. The caller has checked the length. */
static inline void decode_plain_fields(const struct event_place *places, const uint8_t *data, struct sched_event *event)
{
	switch (event->kind) {
	case SCHED_SWITCH:
		decode_plain_task(places, data, &event->switched.prev);
		memcpy(&event->switched.prev_state, data + places[3].offset, sizeof(uint64_t));
		decode_plain_task(places + 4, data, &event->switched.next);
		return;
	case SCHED_MIGRATE:
		decode_plain_task(places, data, &event->migrate.task);
		event->migrate.from_cpu = decode_plain_word(&places[3], data);
		event->migrate.to_cpu = decode_plain_word(&places[4], data);
		return;
	default:
		decode_plain_task(places, data, &event->wakeup.task);
		event->wakeup.target_cpu = decode_plain_word(&places[3], data);
	}
}

/* Nearly all events of nearly all traces. False, with nothing done: it is for sched_decode(). */
static inline bool sched_decode_plain(const struct sched_decoder *decoder, const struct ring_record *record,
				      struct sched_event *event)
{
	const uint8_t *data = record->data;
	uint16_t id;

	if (!decoder->plain || record->length < decoder->common_length)
		return false;
	memcpy(&id, data + decoder->type.offset, sizeof(id));
	enum sched_event_kind kind = (enum sched_event_kind)decoder->kinds[id % SCHED_KIND_SLOTS];
	const struct event_layout *layout = &decoder->layouts[kind];
	if (layout->id != id || !layout->plain || record->length < layout->min_length)
		return false;
	event->kind = kind;
	event->common_pid = (int32_t)decode_plain_word(&decoder->common_pid, data);
	event->context = (uint8_t)decode_context(data[decoder->common_flags.offset]);
	decode_plain_fields(layout->places, data, event);
	return true;
}

#endif
