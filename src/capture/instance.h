/* SPDX-License-Identifier: MIT
 *
 * A private tracefs instance, instances/picknext-PID: its own ring buffer and settings, so that nothing of the
 * machine's own tracing is touched. Its owner holds a lock on the directory: in another PID namespace its PID means
 * no process, or another one. */
#ifndef CAPTURE_INSTANCE_H
#define CAPTURE_INSTANCE_H

#include <stddef.h>

#include "base/error.h"

/* Makes the instance of this process and puts its path into directory. tracefs is the mount point. *lock is to be
 * closed once it is removed; -1 if there is none. */
enum status instance_create(const char *tracefs, char *directory, size_t size, int *lock, struct error *err);
/* Stops it and removes it, waiting up to two seconds for tasks that still hold one of its files. */
enum status instance_remove(const char *directory, struct error *err);

/* Removes those of picknext processes that are gone. */
void instance_remove_stale(const char *tracefs);
/* Calls visit with the directory of every instance whose picknext is running. */
void instance_for_each(const char *tracefs, void (*visit)(void *context, const char *directory), void *context);

#endif
