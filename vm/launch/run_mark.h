/* SPDX-License-Identifier: MIT
 *
 * What the host knows of a run and the guest could not write into its metadata. */
#ifndef VM_LAUNCH_RUN_MARK_H
#define VM_LAUNCH_RUN_MARK_H

#include "base/buffer.h"
#include "base/error.h"

/* Adds members, as they stand in a JSON object, to the one at path, unless it has one called key. What the guest wrote
 * stays as it is otherwise; nothing is added to what is no object. */
enum status run_mark(const char *path, const char *key, const struct buffer *members, struct error *err);

#endif
