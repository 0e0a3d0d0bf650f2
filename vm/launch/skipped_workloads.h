/* SPDX-License-Identifier: MIT
 *
 * The workloads that a kernel cannot run: each boot reports them, and the user is told once per kernel set. */
#ifndef VM_LAUNCH_SKIPPED_WORKLOADS_H
#define VM_LAUNCH_SKIPPED_WORKLOADS_H

#include <stddef.h>
#include <stdint.h>

#define SKIPPED_WORKLOADS_MAX 64

struct skipped_workload {
	char text[640]; /* "NAME is skipped: REASON", of the first boot */
	size_t boots;   /* that skipped it for this reason */
};

/* Starts zeroed. */
struct skipped_workloads {
	struct skipped_workload items[SKIPPED_WORKLOADS_MAX];
	size_t count;
};

/* Counts what the guest of run warns of. NULL if it is not of a skipped workload, or there is no room for another one.
 * Two reasons are the same if they differ only in what they quote, such as the role of the task that met it first. */
const struct skipped_workload *skipped_workloads_add(struct skipped_workloads *skipped, uint32_t run,
						     const char *warning);

#endif
