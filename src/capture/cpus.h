/* SPDX-License-Identifier: MIT
 *
 * CPUs of the tracer and of the workload: the tracer has an isolated CPU alone if there is one, the workload has all
 * others. */
#ifndef CAPTURE_CPUS_H
#define CAPTURE_CPUS_H

#include <sched.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

struct cpu_layout {
	cpu_set_t online, isolated, workload;
	cpu_set_t original; /* the affinity that this process came with */
	int tracer_cpu;     /* -1: the tracer is not pinned */
	unsigned int count; /* of CPUs that can be there: the highest number present, plus one */
};

/* Fills workload and tracer_cpu from online, isolated and original: the last isolated CPU that is online becomes the
 * tracer's, unless nothing would be left for the workload. */
void cpu_layout_decide(struct cpu_layout *layout);
/* Reads the machine and decides. */
enum status cpu_layout_read(struct cpu_layout *layout, struct error *err);
/* Moves this process to the tracer's CPU; if that is refused, leaves it unpinned (tracer_cpu -1) and
 * returns the error. */
enum status cpu_layout_pin(struct cpu_layout *layout, struct error *err);
/* Gives this process back the affinity it came with. */
void cpu_layout_unpin(const struct cpu_layout *layout);

#endif
