/* SPDX-License-Identifier: MIT
 *
 * The state of sched_ext in the kernel: the enabled scheduler, since when, and its counts. */
#ifndef SCHEDULER_SCHEDULER_STATE_H
#define SCHEDULER_SCHEDULER_STATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"

#define SCHED_EXT_DIRECTORY  "/sys/kernel/sched_ext"
#define SCHEDULER_EVENTS_MAX 64

struct scheduler_event {
	char name[64]; /* "SCX_EV_SELECT_CPU_FALLBACK" */
	uint64_t count;
};

struct scheduler_state {
	char state[32];      /* "enabled", "disabled"...; "": the kernel has no sched_ext */
	char ops[128];       /* name of the scheduler, "" if none is enabled */
	char subs[256];      /* of schedulers of single cgroups, separated by spaces (7.2 on) */
	uint64_t enable_seq; /* how many schedulers were enabled since the boot */
	uint64_t nr_rejected;
	bool switch_all; /* all normal tasks are its own; else only those with the policy SCHED_EXT */
	struct scheduler_event events[SCHEDULER_EVENTS_MAX]; /* of the scheduler, since it was enabled */
	size_t event_count;
};

/* Reads the files below directory: SCHED_EXT_DIRECTORY. */
void scheduler_state_read(const char *directory, struct scheduler_state *state);
bool scheduler_is_enabled(const struct scheduler_state *state);
/* True if the same scheduler was enabled at both times, and in between. */
bool scheduler_was_kept(const struct scheduler_state *before, const struct scheduler_state *after);
/* Replaces the counts of after by the differences; the others are left out. */
void scheduler_events_subtract(const struct scheduler_state *before, struct scheduler_state *after);

/* Finds in the text of the kernel's log why the last scheduler was disabled: "runnable task stall (sh[960] failed to
 * run for 7.376s)". False if the log does not have it. Pure. */
bool scheduler_find_reason(const char *log, const char *ops, char *reason, size_t size);
/* The text after the last "EXIT:" in a scheduler's own output. Pure. */
bool scheduler_find_exit(const char *output, char *reason, size_t size);

#endif
