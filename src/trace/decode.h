/* SPDX-License-Identifier: MIT
 *
 * Decodes the bytes of a record into a typed event. Field offsets are looked up once per trace; only the required
 * fields are read. */
#ifndef TRACE_DECODE_H
#define TRACE_DECODE_H

#include "base/error.h"
#include "trace/decoder.h"
#include "trace/event.h"
#include "trace/format/event_format.h"
#include "trace/format/ring_page.h"

/* STATUS_UNSUPPORTED if sched_switch is needed and missing, or if an event lacks a required field. */
enum status sched_decoder_make(const struct event_format_table *events, bool needs_switch,
			       struct sched_decoder *decoder, struct error *err);

/* Fills *event except ts_ns and cpu. STATUS_CORRUPT if the record is too short for its event. */
enum status sched_decode(const struct sched_decoder *decoder, const struct ring_record *record,
			 struct sched_event *event, struct error *err);

#endif
