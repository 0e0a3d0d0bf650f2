/* SPDX-License-Identifier: MIT */
#include "base/cpu_topology.h"

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/cpu_list.h"
#include "base/file.h"

#define CACHES_MAX  16
#define DOMAINS_MAX 16

/* ROOT/sys/devices/system/KIND/KINDnumber/NAME, a line. */
static bool read_line(const char *root, const char *kind, unsigned int number, const char *name, char *text,
		      size_t size)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/sys/devices/system/%s/%s%u/%s", root, kind, kind, number, name);
	return file_read_line(path, text, size);
}

static bool read_threads(const char *root, unsigned int cpu, char *text, size_t size)
{
	return read_line(root, "cpu", cpu, "topology/thread_siblings_list", text, size);
}

/* The cache of the highest level. */
static bool read_cache(const char *root, unsigned int cpu, char *text, size_t size)
{
	char name[64], level[16];
	char highest = '0';

	for (unsigned int cache = 0; cache < CACHES_MAX; cache++) {
		snprintf(name, sizeof(name), "cache/index%u/level", cache);
		if (!read_line(root, "cpu", cpu, name, level, sizeof(level)) || level[0] <= highest)
			continue;
		snprintf(name, sizeof(name), "cache/index%u/shared_cpu_list", cache);
		if (read_line(root, "cpu", cpu, name, text, size))
			highest = level[0];
	}
	return highest > '0';
}

static bool read_node(const char *root, unsigned int node, char *text, size_t size)
{
	return read_line(root, "node", node, "cpulist", text, size);
}

/* Adds each group once: all its CPUs have the same file. */
static void read_groups(const char *root, const char *kind,
			bool (*read_group)(const char *root, unsigned int number, char *text, size_t size),
			char *groups)
{
	char path[PATH_MAX], text[4096];
	cpu_set_t numbers, group, both, seen;
	size_t length = 0;

	snprintf(path, sizeof(path), "%s/sys/devices/system/%s/online", root, kind);
	groups[0] = '\0';
	CPU_ZERO(&seen);
	if (!file_read_line(path, text, sizeof(text)) || !cpu_list_parse(text, &numbers))
		return;
	for (unsigned int number = 0; number < CPU_SETSIZE && length < CPU_GROUPS_TEXT_SIZE; number++) {
		if (!CPU_ISSET(number, &numbers) || !read_group(root, number, text, sizeof(text)) ||
		    !cpu_list_parse(text, &group) || CPU_COUNT(&group) == 0)
			continue;
		CPU_AND(&both, &group, &seen);
		if (CPU_COUNT(&both))
			continue;
		CPU_OR(&seen, &seen, &group);
		cpu_list_text(&group, text, sizeof(text));
		length +=
		    (size_t)snprintf(groups + length, CPU_GROUPS_TEXT_SIZE - length, "%s%s", length ? " " : "", text);
	}
}

static bool read_capacity(const char *root, unsigned int cpu, char *text, size_t size)
{
	return read_line(root, "cpu", cpu, "cpu_capacity", text, size) && *text &&
	       strspn(text, "0123456789") == strlen(text);
}

/* Adds each capacity once, with all CPUs online that have it. */
static void read_capacities(const char *root, char *groups)
{
	char text[4096], capacity[16], other[16];
	cpu_set_t online, group;
	size_t length = 0;

	snprintf(text, sizeof(text), "%s/sys/devices/system/cpu/online", root);
	if (!file_read_line(text, text, sizeof(text)) || !cpu_list_parse(text, &online))
		return;
	for (unsigned int cpu = 0; cpu < CPU_SETSIZE && length < CPU_GROUPS_TEXT_SIZE; cpu++) {
		if (!CPU_ISSET(cpu, &online) || !read_capacity(root, cpu, capacity, sizeof(capacity)))
			continue;
		CPU_ZERO(&group);
		for (unsigned int i = cpu; i < CPU_SETSIZE; i++)
			if (CPU_ISSET(i, &online) && read_capacity(root, i, other, sizeof(other)) &&
			    strcmp(other, capacity) == 0) {
				CPU_SET(i, &group);
				CPU_CLR(i, &online);
			}
		cpu_list_text(&group, text, sizeof(text));
		length += (size_t)snprintf(groups + length, CPU_GROUPS_TEXT_SIZE - length, "%s%s=%s", length ? " " : "",
					   text, capacity);
	}
}

/* In debugfs since 5.13, a sysctl before. */
static bool read_domain(const char *root, unsigned int domain, char *name, size_t size)
{
	static const char *const places[] = {"sys/kernel/debug/sched/domains", "proc/sys/kernel/sched_domain"};
	char path[PATH_MAX];

	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		snprintf(path, sizeof(path), "%s/%s/cpu0/domain%u/name", root, places[i], domain);
		if (file_read_line(path, name, size) && *name)
			return true;
	}
	return false;
}

void cpu_topology_read(const char *root, struct cpu_topology *topology)
{
	char name[32];
	size_t length = 0;

	*topology = (struct cpu_topology){0};
	read_groups(root, "cpu", read_threads, topology->smt);
	read_groups(root, "cpu", read_cache, topology->llc);
	read_groups(root, "node", read_node, topology->node);
	read_capacities(root, topology->capacity);
	for (unsigned int i = 0; i < DOMAINS_MAX && length < sizeof(topology->domains); i++)
		if (read_domain(root, i, name, sizeof(name)))
			length += (size_t)snprintf(topology->domains + length, sizeof(topology->domains) - length,
						   "%s%s", length ? " " : "", name);
}
