/* SPDX-License-Identifier: MIT
 *
 * Decodes the bytes of a record into a typed event. Field offsets are looked up once per trace; only the required
 * fields are read. */
#ifndef TRACE_DECODE_H
#define TRACE_DECODE_H

#include "base/error.h"
#include "trace/event_rows.h"

#define SCHED_KIND_SLOTS 256u

/* Where the fields of each event are in one trace. */
struct sched_decoder {
	struct event_place type, common_pid; /* the same in every event */
	struct event_place common_flags;     /* size 0 if there are none */
	uint32_t common_length;
	bool plain;                      /* the usual common fields: a type of 16 bits, flags of 8, a PID of 32 */
	uint8_t kinds[SCHED_KIND_SLOTS]; /* enum sched_event_kind by the low bits of the type; to be checked */
	struct event_layout layouts[SCHED_EVENT_ROWS]; /* by enum sched_event_kind */
};

/* STATUS_UNSUPPORTED if sched_switch is needed and missing, or if an event lacks a required field. */
enum status sched_decoder_make(const struct event_format_table *events, bool needs_switch,
			       struct sched_decoder *decoder, struct error *err);

/* Fills *event except ts_ns and cpu. STATUS_CORRUPT if the record is too short for its event. */
enum status sched_decode(const struct sched_decoder *decoder, const struct ring_record *record,
			 struct sched_event *event, struct error *err);

#endif
