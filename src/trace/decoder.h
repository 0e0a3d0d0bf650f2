/* SPDX-License-Identifier: MIT
 *
 * Where the fields of each event are, for decode.h and decode_plain.h. */
#ifndef TRACE_DECODER_H
#define TRACE_DECODER_H

#include <stdbool.h>
#include <stdint.h>

#include "trace/event.h"
#include "trace/format/event_format.h"

/* A number in a record: 1, 2, 4 or 8 bytes. */
struct sched_number {
	uint32_t offset;
	uint8_t size;
	bool is_signed;
};

/* A task's name: char comm[16] in older events, __data_loc char[] comm in newer ones. */
struct sched_name {
	uint32_t offset, size;
	enum field_array array;
};

struct sched_layout {
	bool known; /* the trace has this event */
	uint32_t id;
	uint32_t min_length; /* a shorter record cannot hold the fields */
	bool plain;          /* the usual layout: 32-bit numbers, 64-bit prev_state, names of 16 bytes */
	struct sched_name names[2];
	struct sched_number numbers[5];
};

#define SCHED_KIND_SLOTS 256u

struct sched_decoder {
	struct sched_number type, common_pid; /* the same in every event */
	struct sched_number common_flags;     /* size 0 if there are none */
	uint32_t common_length;
	bool plain;                      /* the usual common fields: a type of 16 bits, flags of 8, a PID of 32 */
	uint8_t kinds[SCHED_KIND_SLOTS]; /* enum sched_event_kind by the low bits of the type; to be checked */
	struct sched_layout layouts[SCHED_PI_SETPRIO + 1]; /* by enum sched_event_kind */
	bool has_marks;                                    /* the trace has the event ftrace:print */
	uint32_t mark_id, mark_text;                       /* its number; the offset of its text */
};

#endif
