/* SPDX-License-Identifier: MIT */
#include "runs/cpu_levels.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cpu_list.h"

/* True if there is a group. */
static bool read_groups(const char *text, uint16_t groups[CPU_LEVELS_CPUS])
{
	char list[4096];
	cpu_set_t set;
	uint16_t number = 0;

	while (text && *text && number < CPU_LEVELS_CPUS) {
		const size_t length = strcspn(text, " ");
		snprintf(list, sizeof(list), "%.*s", length < sizeof(list) ? (int)length : 0, text);
		text += length + (text[length] == ' ');
		if (!cpu_list_parse(list, &set))
			continue;
		number++;
		for (unsigned int cpu = 0; cpu < CPU_LEVELS_CPUS; cpu++)
			if (CPU_ISSET(cpu, &set))
				groups[cpu] = number;
	}
	return number > 0;
}

/* "0-1=512 2-4=1024" */
static void read_capacities(const char *text, uint16_t capacities[CPU_LEVELS_CPUS])
{
	char list[4096];
	cpu_set_t set;

	while (text && *text) {
		const size_t length = strcspn(text, " "), sign = strcspn(text, "= ");
		const unsigned long capacity = sign + 1 < length ? strtoul(text + sign + 1, NULL, 10) : 0;
		snprintf(list, sizeof(list), "%.*s", sign < sizeof(list) ? (int)sign : 0, text);
		text += length + (text[length] == ' ');
		if (!capacity || capacity > CPU_CAPACITY_MAX || !cpu_list_parse(list, &set))
			continue;
		for (unsigned int cpu = 0; cpu < CPU_LEVELS_CPUS; cpu++)
			if (CPU_ISSET(cpu, &set))
				capacities[cpu] = (uint16_t)capacity;
	}
}

bool cpu_levels_are_unequal(const struct cpu_levels *levels, const cpu_set_t *cpus)
{
	uint16_t first = 0;
	bool differ = false;

	for (unsigned int cpu = 0; cpu < CPU_LEVELS_CPUS; cpu++) {
		if (!CPU_ISSET(cpu, cpus))
			continue;
		if (!levels->capacities[cpu])
			return false;
		first = first ? first : levels->capacities[cpu];
		differ = differ || levels->capacities[cpu] != first;
	}
	return differ;
}

bool cpu_capacities_differ(const struct run_topology *topology)
{
	return topology->capacity && strchr(topology->capacity, ' ');
}

void cpu_levels_read(const struct run_topology *topology, struct cpu_levels *levels)
{
	*levels = (struct cpu_levels){0};
	read_groups(topology->smt, levels->groups[CPU_LEVEL_SMT]);
	read_groups(topology->llc, levels->groups[CPU_LEVEL_LLC]);
	read_capacities(topology->capacity, levels->capacities);
	levels->has_nodes = read_groups(topology->node, levels->groups[CPU_LEVEL_NODE]);
}

enum cpu_level cpu_levels_between(const struct cpu_levels *levels, uint32_t a, uint32_t b)
{
	if (a == b)
		return CPU_LEVEL_SAME;
	for (enum cpu_level level = CPU_LEVEL_SMT; level <= CPU_LEVEL_NODE; level++)
		if (a < CPU_LEVELS_CPUS && b < CPU_LEVELS_CPUS && levels->groups[level][a] &&
		    levels->groups[level][a] == levels->groups[level][b])
			return level;
	return levels->has_nodes ? CPU_LEVEL_REMOTE : CPU_LEVEL_NODE; /* a kernel without NUMA has one node */
}

unsigned int cpu_levels_of(const struct cpu_levels *levels, const cpu_set_t *cpus)
{
	unsigned int found = 0;

	for (unsigned int a = 0; a < CPU_LEVELS_CPUS; a++)
		for (unsigned int b = CPU_ISSET(a, cpus) ? a : CPU_LEVELS_CPUS; b < CPU_LEVELS_CPUS; b++)
			if (CPU_ISSET(b, cpus))
				found |= 1u << cpu_levels_between(levels, a, b);
	return found;
}

bool cpu_levels_are_blocks(const struct cpu_levels *levels, enum cpu_level level, const cpu_set_t *cpus,
			   unsigned int size)
{
	const uint16_t *groups = levels->groups[level];
	uint16_t before = 0;
	unsigned int count = 0;

	for (unsigned int cpu = 0; cpu < CPU_LEVELS_CPUS; cpu++) {
		if (!CPU_ISSET(cpu, cpus))
			continue;
		const bool begins = count++ % size == 0;
		if (!groups[cpu] || begins == (groups[cpu] == before))
			return false;
		before = groups[cpu];
	}
	return true;
}
