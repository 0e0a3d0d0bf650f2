/* SPDX-License-Identifier: MIT
 *
 * Decodes the bytes of a record into a typed event. Field offsets are looked up once per trace; only the required
 * fields are read. */
#ifndef SCHED_DECODE_H
#define SCHED_DECODE_H

#include "base/error.h"
#include "format/event_format.h"
#include "format/ring_page.h"
#include "sched/decoder.h"
#include "sched/event.h"

/* STATUS_UNSUPPORTED if sched_switch is needed and missing, or if an event lacks a required field. */
enum status sched_decoder_make(const struct event_format_table *events, bool needs_switch,
			       struct sched_decoder *decoder, struct error *err);

/* Fills *event except ts_ns and cpu. STATUS_CORRUPT if the record is too short for its event. */
enum status sched_decode(const struct sched_decoder *decoder, const struct ring_record *record,
			 struct sched_event *event, struct error *err);

#endif
