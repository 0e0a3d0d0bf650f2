/* SPDX-License-Identifier: MIT
 *
 * How near two CPUs of a run are to each other, from the groups of CPUs in its metadata. Pure. */
#ifndef RUNS_CPU_LEVELS_H
#define RUNS_CPU_LEVELS_H

#include <stdbool.h>
#include <stdint.h>

#include "runs/metadata.h"

/* Levels that two CPUs can share, the nearest first. */
enum cpu_level {
	CPU_LEVEL_SAME, /* one CPU */
	CPU_LEVEL_SMT,  /* a core */
	CPU_LEVEL_LLC,  /* a cache of the last level */
	CPU_LEVEL_NODE, /* a NUMA node */
	CPU_LEVEL_REMOTE,
	CPU_LEVELS
};

#define CPU_LEVELS_CPUS  1024
#define CPU_CAPACITY_MAX 1024

struct cpu_levels {
	/* Number of the group of a CPU at a level, from 1; 0: not known, so the CPU shares nothing at this level. */
	uint16_t groups[CPU_LEVEL_REMOTE][CPU_LEVELS_CPUS];
	bool has_nodes;
	uint16_t capacities[CPU_LEVELS_CPUS]; /* 0: not known */
};

/* The metadata is untrusted: text that is no list of CPUs counts as not known. */
void cpu_levels_read(const struct run_topology *topology, struct cpu_levels *levels);
enum cpu_level cpu_levels_between(const struct cpu_levels *levels, uint32_t a, uint32_t b);
/* The levels between all pairs of these CPUs, as bits (1 << level). */
unsigned int cpu_levels_of(const struct cpu_levels *levels, const cpu_set_t *cpus);
/* True if there are two or more levels besides CPU_LEVEL_SAME, so that metrics can be split by level. */
static inline bool cpu_levels_differ(unsigned int levels)
{
	return __builtin_popcount(levels & ~(1u << CPU_LEVEL_SAME)) > 1;
}
/* True if each of these CPUs has a known capacity, and two have different ones. */
bool cpu_levels_are_unequal(const struct cpu_levels *levels, const cpu_set_t *cpus);
/* True if the kernel shows two or more capacities. */
bool cpu_capacities_differ(const struct run_topology *topology);
/* True if at this level these CPUs, in ascending order, form consecutive groups of size CPUs each (the last may be
 * smaller). */
bool cpu_levels_are_blocks(const struct cpu_levels *levels, enum cpu_level level, const cpu_set_t *cpus,
			   unsigned int size);

#endif
