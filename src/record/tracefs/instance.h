/* SPDX-License-Identifier: MIT
 *
 * A private tracefs instance, instances/picknext-PID, with a separate ring buffer and settings, so that other tracing
 * on the machine is not affected. Its owner alone, without its children, holds a lock on the directory, because its PID
 * may be invalid or belong to another process in another PID namespace. */
#ifndef RECORD_TRACEFS_INSTANCE_H
#define RECORD_TRACEFS_INSTANCE_H

#include <stddef.h>

#include "base/error.h"

/* Creates the instance of this process and writes its path to directory. tracefs is the mount point. Close *lock after
 * removing the instance; -1 if there is no lock. */
enum status instance_create(const char *tracefs, char *directory, size_t size, int *lock, struct error *err);
/* Stops and removes it. Waits up to two seconds for tasks that have one of its files open. */
enum status instance_remove(const char *directory, struct error *err);

/* Removes the instances of picknext processes that have ended. */
void instance_remove_stale(const char *tracefs);
/* Calls visit with the directory of every instance whose picknext is running. */
void instance_for_each(const char *tracefs, void (*visit)(void *context, const char *directory), void *context);
/* Writes text to the trace of every picknext that is recording. STATUS_SYSTEM if there is none, or if one refuses it.
 */
enum status instance_mark_all(const char *text, struct error *err);

#endif
