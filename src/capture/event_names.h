/* SPDX-License-Identifier: MIT
 *
 * Which tracepoints a list such as "sched_waking,irq:*" means on this kernel. Pure. */
#ifndef CAPTURE_EVENT_NAMES_H
#define CAPTURE_EVENT_NAMES_H

#include <stddef.h>

#include "base/error.h"

struct capture_event {
	const char *system, *name; /* "sched", "sched_switch" */
};

/* All events of the kernel, sorted by system and name. A zeroed struct is empty. */
struct event_names {
	char *text; /* that the names lie in */
	struct capture_event *all;
	size_t count;
};

/* available is the text of tracefs available_events, a line "system:name" each; others are passed over, and so is the
 * system ftrace, whose events only tracers write. */
enum status event_names_read(const char *available, struct event_names *names, struct error *err);
/* Puts the events that wanted means at the front of names->all, sorted, and sets names->count to their number. wanted
 * is a list separated by commas of SYSTEM:NAME, a NAME in any system, or a SYSTEM with all of its events; each may hold
 * the wildcards * and ?. STATUS_USAGE names what does not exist and the nearest that do. */
enum status event_names_choose(struct event_names *names, const char *wanted, struct error *err);
void event_names_free(struct event_names *names);

#endif
