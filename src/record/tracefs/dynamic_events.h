/* SPDX-License-Identifier: MIT
 *
 * Events that picknext defines in the kernel (dynamic_events). They are global, so each process has its own group,
 * picknext_N, with the number of its trace instance, picknext-N, which is mostly its PID. A group of neither an
 * instance nor a running picknext is left over from a process that was killed. */
#ifndef RECORD_TRACEFS_DYNAMIC_EVENTS_H
#define RECORD_TRACEFS_DYNAMIC_EVENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "record/tracefs/key_events.h"

#define DYNAMIC_GROUP_SIZE 64

/* The group that belongs to the instance in this directory. */
void dynamic_events_name_group(const char *directory, char group[DYNAMIC_GROUP_SIZE]);
/* The group of this process, whose number is its PID. */
void dynamic_events_name_own_group(char group[DYNAMIC_GROUP_SIZE]);
/* True for the groups of picknext processes. */
bool dynamic_events_is_group(const char *system);

enum status dynamic_events_define(const char *tracefs, const char *group, const char *name,
				  const struct key_probe *probe, struct error *err);
/* False if an event that each switch of tasks should cause does not occur while this task sleeps. True if the kernel
 * cannot count it. */
bool dynamic_events_occur(const char *tracefs, const char *group, const char *name);
/* Why the kernel refused the last definition, in its own words: "Invalid probed address". */
void dynamic_events_reason(const char *tracefs, const struct error *refusal, char *reason, size_t size);

/* Hits of an event since it was defined, and how many others its probe missed: of kprobes, the only ones that the
 * kernel counts; 0 for others. */
struct dynamic_count {
	const char *name;
	uint64_t hits, missed;
};
void dynamic_events_count(const char *tracefs, const char *group, struct dynamic_count *counts, size_t count);
/* Removes one event, or all of the group. Waits up to two seconds for a process that records them. */
enum status dynamic_events_remove_one(const char *tracefs, const char *group, const char *name, struct error *err);
enum status dynamic_events_remove(const char *tracefs, const char *group, struct error *err);
/* Removes the groups that are left over. is_running: whether this PID is that of another picknext. */
void dynamic_events_remove_stale(const char *tracefs, bool (*is_running)(uint64_t pid));

#endif
