/* SPDX-License-Identifier: MIT
 *
 * Shared by mixes and chaos: rounds of work, random numbers, attributes of sched_setattr(2). */
#ifndef WORKLOADS_TASK_WORK_H
#define WORKLOADS_TASK_WORK_H

#include <stdint.h>

/* A round of work: instructions that do nothing, since an emulated CPU passes over them much faster than over
 * arithmetic, and a deterministic guest counts them just the same. */
#define ROUND                  ".rept 500\n nop\n .endr"
#define INSTRUCTIONS_PER_ROUND 503
/* Rounds between two readings of the task's CPU clock. */
#define ROUNDS_PER_CPU_CLOCK 60

static inline void spend_rounds(unsigned int rounds)
{
	for (unsigned int i = 0; i < rounds; i++)
		__asm__ volatile(ROUND);
}

/* From linux/sched/types.h, which musl lacks. */
struct sched_attributes {
	uint32_t size, policy;
	uint64_t flags;
	int32_t nice;
	uint32_t priority;
	uint64_t runtime, deadline, period;
	uint32_t util_min, util_max;
};

#endif
