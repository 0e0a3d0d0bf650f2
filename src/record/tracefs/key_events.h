/* SPDX-License-Identifier: MIT
 *
 * The events of --keys: what a kernel needs to be told to record the keys by which its scheduler chooses, found in its
 * BTF by the names of functions, parameters and members. What a kernel does not have is left out and named. Pure. */
#ifndef RECORD_TRACEFS_KEY_EVENTS_H
#define RECORD_TRACEFS_KEY_EVENTS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/btf.h"
#include "base/buffer.h"

/* The system of these events in a trace. */
#define KEY_EVENTS_SYSTEM  "picknext"
#define KEY_EVENT_PICK     "keys_pick"
#define KEY_EVENTS_MAX     11
#define KEY_LEVELS_MAX     3
#define KEY_PROBES_MAX     5
#define KEY_PROBE_TEXT_MAX 4000 /* the kernel takes lines of 4095 bytes */

/* A definition of dynamic_events: "TYPE:GROUP/NAME TEXT". */
struct key_probe {
	char type;  /* p: kprobe, f: fprobe, t: probe of a tracepoint */
	char *text; /* the function (with %return: its return) or tracepoint, and the fields; NULL ends the list */
};

enum key_event_need {
	KEY_EVENT_NEEDED,   /* without it the others mean nothing */
	KEY_EVENT_WANTED,   /* if it is missing, that is named */
	KEY_EVENT_OPTIONAL, /* some kernels have it */
};

struct key_definition {
	const char *name;
	enum key_event_need need;
	struct key_probe probes[KEY_PROBES_MAX + 1]; /* the same event, best first */
	char lacks[160];                             /* without a probe: what the kernel lacks */
};

struct key_definitions {
	struct key_definition events[KEY_EVENTS_MAX];
	size_t count;
	struct buffer missing; /* fields, by event: "keys_pick: nr, load"; "" if there are all */
};

/* Fills all events. has_pick: false makes events do without keys_pick, because the kernel refuses it. levels: of groups
 * that tasks are in; the keys of this many are recorded, KEY_LEVELS_MAX at most. */
void key_events_make(const struct btf *btf, bool has_pick, unsigned int levels, struct key_definitions *events);
void key_events_free(struct key_definitions *events);

#endif
