/* SPDX-License-Identifier: MIT
 *
 * Events that picknext defines in the kernel (dynamic_events). They are there for the whole machine, so each process
 * has a group of its own, picknext_N, of the same number as its trace instance, picknext-N: without that instance the
 * group is left over from a process that was killed. */
#ifndef RECORD_TRACEFS_DYNAMIC_EVENTS_H
#define RECORD_TRACEFS_DYNAMIC_EVENTS_H

#include <stdbool.h>

#include "base/error.h"
#include "record/tracefs/key_events.h"

#define DYNAMIC_GROUP_SIZE 64

/* The group that belongs to the instance in this directory. */
void dynamic_events_name_group(const char *directory, char group[DYNAMIC_GROUP_SIZE]);
/* True for the groups of picknext processes. */
bool dynamic_events_is_group(const char *system);

enum status dynamic_events_define(const char *tracefs, const char *group, const char *name,
				  const struct key_probe *probe, struct error *err);
/* Removes the events of the group. Waits up to two seconds for a process that records them. */
enum status dynamic_events_remove(const char *tracefs, const char *group, struct error *err);
/* Removes the groups that have no instance. */
void dynamic_events_remove_stale(const char *tracefs);

#endif
