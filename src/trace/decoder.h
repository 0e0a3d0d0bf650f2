/* SPDX-License-Identifier: MIT
 *
 * Where the fields of each event are in one trace, for decode.h and decode_plain.h. */
#ifndef TRACE_DECODER_H
#define TRACE_DECODER_H

#include "trace/event_rows.h"

#define SCHED_KIND_SLOTS 256u

struct sched_decoder {
	struct event_place type, common_pid; /* the same in every event */
	struct event_place common_flags;     /* size 0 if there are none */
	uint32_t common_length;
	bool plain;                      /* the usual common fields: a type of 16 bits, flags of 8, a PID of 32 */
	uint8_t kinds[SCHED_KIND_SLOTS]; /* enum sched_event_kind by the low bits of the type; to be checked */
	struct event_layout layouts[SCHED_EVENT_ROWS]; /* by enum sched_event_kind */
};

#endif
