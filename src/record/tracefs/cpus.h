/* SPDX-License-Identifier: MIT
 *
 * CPUs of the tracer and of the workload. The tracer gets an isolated CPU for itself if there is one; the workload gets
 * all others. */
#ifndef RECORD_TRACEFS_CPUS_H
#define RECORD_TRACEFS_CPUS_H

#include <sched.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

struct cpu_layout {
	cpu_set_t online, isolated, workload;
	cpu_set_t original; /* the initial affinity of this process */
	int tracer_cpu;     /* -1: the tracer is not pinned */
	unsigned int count; /* highest present CPU number, plus one */
};

/* Fills workload and tracer_cpu from online, isolated and original: the tracer gets the last isolated
 * CPU that is online, unless the workload would have none. */
void cpu_layout_decide(struct cpu_layout *layout);
/* Reads the CPU lists of this machine, then calls cpu_layout_decide(). */
enum status cpu_layout_read(struct cpu_layout *layout, struct error *err);
/* Writes the CPUs below count that are offline now as a list, preceded by a space; "" if there are none, or if they
 * cannot be read. */
void cpus_offline_text(unsigned int count, char *text, size_t size);
/* Pins this process to the tracer's CPU. On failure the process stays unpinned (tracer_cpu -1) and the error is
 * returned. */
enum status cpu_layout_pin(struct cpu_layout *layout, struct error *err);
/* Restores the initial affinity of this process. */
void cpu_layout_unpin(const struct cpu_layout *layout);

#endif
