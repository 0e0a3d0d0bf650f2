/* SPDX-License-Identifier: MIT
 *
 * Resolves a list of tracepoints such as "sched_waking,irq:*" against those of this kernel. Pure. */
#ifndef RECORD_TRACEFS_EVENT_NAMES_H
#define RECORD_TRACEFS_EVENT_NAMES_H

#include <stddef.h>

#include "base/error.h"

struct capture_event {
	const char *system, *name; /* "sched", "sched_switch" */
};

/* All events of the kernel, sorted by system and name. A zeroed struct is empty. */
struct event_names {
	char *text; /* storage of the names */
	struct capture_event *all;
	size_t count;
};

/* available is the text of tracefs available_events, one "system:name" per line. Skips malformed lines, and the system
 * ftrace, whose events only tracers write. */
void event_names_read(const char *available, struct event_names *names);
/* Moves the events that match any of wanted to the front of names->all, sorted, and sets names->count to their number.
 * Each of wanted is a comma-separated list of SYSTEM:NAME, NAME (in any system) or SYSTEM (all of its events), with the
 * wildcards * and ?. STATUS_USAGE names a missing event and the most similar names. */
enum status event_names_choose(struct event_names *names, const char *const *wanted, size_t count, struct error *err);
void event_names_free(struct event_names *names);

#endif
