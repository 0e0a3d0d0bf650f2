/* SPDX-License-Identifier: MIT
 *
 * The workloads that a kernel cannot run: each boot reports them, and the user sees each once per kernel set. */
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

/* Counts a warning of the guest of this run. NULL if it is not about a skipped workload, or if the list is full. Two
 * reasons are the same if they differ only in quoted words, such as the role of the task that failed first. */
const struct skipped_workload *skipped_workloads_add(struct skipped_workloads *skipped, uint32_t run,
						     const char *warning);

#endif
