/* SPDX-License-Identifier: MIT
 *
 * The definitions of key events (trace/key_fields.h) for a kernel: probes that record its scheduler's keys. Functions,
 * parameters and members are looked up by name in its BTF; those that it lacks are left out and reported. Pure. */
#ifndef RECORD_TRACEFS_KEY_EVENTS_H
#define RECORD_TRACEFS_KEY_EVENTS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/btf.h"
#include "base/buffer.h"
#include "trace/key_fields.h"

#define KEY_PROBES_MAX     9
#define KEY_PROBE_TEXT_MAX 4000 /* the kernel takes lines of 4095 bytes */

/* A definition of dynamic_events: "TYPE:GROUP/NAME TEXT". */
struct key_probe {
	char type;  /* p: kprobe, f: fprobe, t: probe of a tracepoint */
	char *text; /* the function (with %return: its return) or tracepoint, and the fields; NULL ends the list */
};

struct key_definition {
	const char *name;
	enum key_event_need need;
	struct key_probe probes[KEY_PROBES_MAX + 1]; /* alternatives for the event, the best first */
	char lacks[160];                             /* if there is no probe: what the kernel lacks */
};

struct key_definitions {
	struct key_definition events[KEY_ROWS];
	size_t count;
	bool counts_faults;    /* the kernel counts faulting reads as missed hits too, so its count is useless */
	struct buffer missing; /* missing fields, by event: "keys_pick: nr, load"; "" if none */
};

/* has_pick: false if the kernel refuses keys_pick; the other events then record its fields of the queue. levels: number
 * of levels of task groups whose keys are recorded, max KEY_LEVELS_MAX. */
void key_events_make(const struct btf *btf, bool has_pick, unsigned int levels, struct key_definitions *events);
void key_events_free(struct key_definitions *events);
/* The text of a probe of the event of this name, without the fields of deeper levels of groups. */
void key_probe_reduce(const char *event, const char *text, unsigned int levels, struct buffer *out);

#endif
