/* SPDX-License-Identifier: MIT
 *
 * Finds out, once before the first recording, whether and how this kernel can record its scheduler's keys (--keys). */
#ifndef RECORD_TRACEFS_KEYS_H
#define RECORD_TRACEFS_KEYS_H

#include "base/memory.h"
#include "record/tracefs/key_events.h"
#include "record/tracefs/tracefs.h"
#include "trace/key_mark.h"

/* The events, one probe of each, that this kernel accepts. */
struct keys {
	struct {
		const char *name;
		struct key_probe probe;
	} events[KEY_ROWS];
	size_t count;
	unsigned int levels;      /* of groups, whose keys the events have */
	char mark[KEY_MARK_SIZE]; /* mark at the start of each recording */
	struct buffer missing;    /* private: what the kernel lacks, and why */
	struct key_definitions storage;
	char tracefs[TRACEFS_PATH_SIZE];
	struct cleanup cleanup;
};

#define KEYS_CHOICES "yes|no|if-possible"

/* True if this value of --keys (NULL: none) asks for keys. */
bool keys_are_wanted(const char *choice);
/* Levels of groups that tasks are in, with so many of cgroups below that of this process; an autogroup is one. */
unsigned int keys_levels(unsigned int groups);
/* If keys are wanted, finds the events and sets *chosen to keys, else to NULL. With "if-possible", warns if the kernel
 * cannot record them. groups: as in keys_levels(), of the deepest workload. The events read no deeper levels, because
 * each read of a level that a task lacks costs a page fault. Tests each event by defining it
 * in the group of this process, and leaves it there: a kernel searches all of its symbols for each fprobe. Warns about
 * events and fields that the kernel lacks.
 * STATUS_UNSUPPORTED names what the kernel lacks if it cannot record keys: KPROBE_EVENTS or FPROBE_EVENTS, BTF, the
 * switch itself; STATUS_SYSTEM if access is refused (lockdown). After an error, nothing is left in tracefs. */
enum status keys_choose(const char *choice, unsigned int groups, struct keys *keys, const struct keys **chosen,
			struct error *err);
/* Removes the events. */
void keys_free(struct keys *keys);

#endif
