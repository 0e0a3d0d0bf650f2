/* SPDX-License-Identifier: MIT
 *
 * The kernel stack of each sched_migrate_task, for the function that moved a task. A CPU's stopper thread (migration/N)
 * moves tasks for other tasks: the stack of its sched_waking shows the requester. Triggers and filter are removed with
 * the trace instance. */
#ifndef RECORD_TRACEFS_MIGRATION_STACKS_H
#define RECORD_TRACEFS_MIGRATION_STACKS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "record/tracefs/event_names.h"

/* Sets the triggers in the instance. filter_waking: record sched_waking of stopper threads only. STATUS_SYSTEM if
 * the kernel records no stacks. */
enum status migration_stacks_set(const char *directory, bool filter_waking, struct error *err);

/* Adds the events required by stacks to events: the caller frees *made, which replaces them. Sets *filter_waking if
 * sched_waking is required only by the stacks. STATUS_USAGE if sched_migrate_task is not among events. */
enum status migration_stacks_events(const struct capture_event *events, size_t count, struct capture_event **made,
				    size_t *made_count, bool *filter_waking, struct error *err);

#endif
