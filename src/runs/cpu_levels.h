/* SPDX-License-Identifier: MIT
 *
 * How near two CPUs of a run are to each other, from the groups of CPUs in its metadata. Pure. */
#ifndef RUNS_CPU_LEVELS_H
#define RUNS_CPU_LEVELS_H

#include <stdbool.h>
#include <stdint.h>

#include "runs/metadata.h"

/* The nearest first: what two CPUs share. */
enum cpu_level {
	CPU_LEVEL_SAME, /* one CPU */
	CPU_LEVEL_SMT,  /* a core */
	CPU_LEVEL_LLC,  /* a cache of the last level */
	CPU_LEVEL_NODE, /* a NUMA node */
	CPU_LEVEL_REMOTE,
	CPU_LEVELS
};

#define CPU_LEVELS_CPUS 1024

struct cpu_levels {
	/* By level and CPU: the group of the CPU, from 1; 0: not known, so that it shares nothing there. */
	uint16_t groups[CPU_LEVELS][CPU_LEVELS_CPUS];
	bool has_nodes;
};

/* The metadata are hostile: what is no list of CPUs is not known. */
void cpu_levels_read(const struct run_topology *topology, struct cpu_levels *levels);
enum cpu_level cpu_levels_between(const struct cpu_levels *levels, uint32_t a, uint32_t b);
/* Which levels pairs of these CPUs have: a bit (1 << level) each. */
unsigned int cpu_levels_of(const struct cpu_levels *levels, const cpu_set_t *cpus);
/* Whether some of these levels are of different CPUs, so that what happens there can be split by them. */
static inline bool cpu_levels_differ(unsigned int levels)
{
	return __builtin_popcount(levels & ~(1u << CPU_LEVEL_SAME)) > 1;
}
/* True if at this level the first of these CPUs are one group, as many next ones the next, and so on. */
bool cpu_levels_are_blocks(const struct cpu_levels *levels, enum cpu_level level, const cpu_set_t *cpus,
			   unsigned int size);

#endif
