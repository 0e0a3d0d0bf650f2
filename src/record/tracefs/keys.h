/* SPDX-License-Identifier: MIT
 *
 * Whether and how this kernel records the keys of its scheduler (--keys): tried once, before the first recording. */
#ifndef RECORD_TRACEFS_KEYS_H
#define RECORD_TRACEFS_KEYS_H

#include "record/tracefs/key_events.h"
#include "trace/key_mark.h"

/* The events, one probe of each, that this kernel accepts. */
struct keys {
	struct {
		const char *name;
		struct key_probe probe;
	} events[KEY_EVENTS_MAX];
	size_t count;
	char mark[KEY_MARK_SIZE]; /* with which a recording begins */
	struct buffer missing;    /* private: what the kernel lacks, and why */
	struct key_definitions storage;
};

#define KEYS_CHOICES "yes|no|if-possible"

/* Whether a value of --keys, one of the choices or NULL, asks for keys. */
bool keys_are_wanted(const char *choice);
/* Finds them if they are wanted: *chosen is then keys, else NULL. With "if-possible", a kernel that cannot record them
 * is a warning.
 * groups: levels of cgroups that the workload makes below that of this process. Deeper ones are not recorded, because
 * a task without them costs page faults.
 * Defines each event once, under a name of its own, and removes it. Warns of events and fields that the kernel lacks.
 * STATUS_UNSUPPORTED names what the kernel lacks if it cannot record keys: KPROBE_EVENTS or FPROBE_EVENTS, BTF, the
 * switch itself; STATUS_SYSTEM if access is refused (lockdown). After an error, nothing is left in tracefs. */
enum status keys_choose(const char *choice, unsigned int groups, struct keys *keys, const struct keys **chosen,
			struct error *err);
void keys_free(struct keys *keys);

#endif
