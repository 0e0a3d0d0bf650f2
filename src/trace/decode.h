/* SPDX-License-Identifier: MIT
 *
 * Decodes the bytes of a record into a typed event. Field offsets are looked up once per trace; only the required
 * fields are read. */
#ifndef TRACE_DECODE_H
#define TRACE_DECODE_H

#include <string.h>

#include "base/error.h"
#include "trace/event_rows.h"

#define SCHED_KIND_SLOTS 256u

/* The positions of the fields of each event in one trace. */
struct sched_decoder {
	struct event_place type, common_pid; /* the same in every event */
	struct event_place common_flags;     /* size 0 if there are none */
	uint32_t common_length;
	bool plain; /* usual common fields: 16 bits for the type, 8 for the flags, 32 for the PID */
	uint8_t kinds[SCHED_KIND_SLOTS]; /* enum sched_event_kind by low bits of the type: check layout.id */
	struct event_layout layouts[SCHED_EVENT_ROWS]; /* by enum sched_event_kind */
};

/* STATUS_UNSUPPORTED if sched_switch is needed and missing, or if an event lacks a required field. */
enum status sched_decoder_make(const struct event_format_table *events, bool needs_switch,
			       struct sched_decoder *decoder, struct error *err);

/* Fills *event except ts_ns and cpu. STATUS_CORRUPT if the record is too short for its event. */
enum status sched_decode(const struct sched_decoder *decoder, const struct ring_record *record,
			 struct sched_event *event, struct error *err);

/* The part of sched_decode() that nearly all events need, inlined into the loop over them. */

/* Source: enum trace_flag_type in include/linux/trace_events.h; the same since Linux 2.6. */
static inline enum sched_context decode_context(uint64_t flags)
{
	enum { HARDIRQ = 0x08, SOFTIRQ = 0x10, NMI = 0x40 };

	return flags & (HARDIRQ | NMI) ? SCHED_CONTEXT_HARDIRQ
	       : flags & SOFTIRQ       ? SCHED_CONTEXT_SOFTIRQ
				       : SCHED_CONTEXT_TASK;
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

/* Fast path for nearly all events of nearly all traces. False if it does not apply: call sched_decode(). */
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
