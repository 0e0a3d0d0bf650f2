/* SPDX-License-Identifier: MIT
 *
 * How the CPUs are grouped, from files as kernels write them. */
#include "base/cpu_topology.h"
#include "base/file.h"
#include "support/own_directory.h"
#include "support/unit.h"

static void write_file(const char *path, const char *text)
{
	char directory[256];

	snprintf(directory, sizeof(directory), "%.*s", (int)(strrchr(path, '/') - path), path);
	assert_int_equal(file_make_directories(directory, NULL), STATUS_OK);
	assert_int_equal(file_replace(path, text, strlen(text), NULL), STATUS_OK);
}

static void write_cpu(unsigned int cpu, const char *name, const char *text)
{
	char path[200];

	snprintf(path, sizeof(path), "root/sys/devices/system/cpu/cpu%u/%s", cpu, name);
	write_file(path, text);
}

/* Two cores of two threads with one cache, CPU 4 alone; CPU 5 is offline. */
TEST_WITH(groups_are_listed_once, own_directory_enter, own_directory_leave)
{
	struct cpu_topology topology;

	write_file("root/sys/devices/system/cpu/online", "0-4\n");
	for (unsigned int cpu = 0; cpu < 5; cpu++) {
		write_cpu(cpu, "topology/thread_siblings_list", cpu < 4 ? cpu % 2 ? "1,3\n" : "0,2\n" : "4\n");
		write_cpu(cpu, "cache/index0/level", "1\n");
		write_cpu(cpu, "cache/index0/shared_cpu_list", cpu % 2 ? "1,3\n" : "0,2\n");
		write_cpu(cpu, "cache/index3/level", "3\n");
		write_cpu(cpu, "cache/index3/shared_cpu_list", cpu < 4 ? "0-3\n" : "4\n");
		write_cpu(cpu, "cpu_capacity", cpu % 2 ? "1024\n" : cpu < 4 ? "446\n" : "x\n");
	}
	write_cpu(5, "topology/thread_siblings_list", "5\n");
	write_cpu(5, "cpu_capacity", "446\n");
	write_file("root/sys/devices/system/node/online", "0,2\n");
	write_file("root/sys/devices/system/node/node0/cpulist", "0-4\n");
	write_file("root/sys/devices/system/node/node2/cpulist", "\n"); /* memory only */
	write_file("root/sys/kernel/debug/sched/domains/cpu0/domain0/name", "SMT\n");
	write_file("root/sys/kernel/debug/sched/domains/cpu0/domain1/name", "MC\n");
	cpu_topology_read("root", &topology);
	assert_string_equal(topology.smt, "0,2 1,3 4");
	assert_string_equal(topology.llc, "0-3 4");
	assert_string_equal(topology.node, "0-4");
	assert_string_equal(topology.capacity, "0,2=446 1,3=1024");
	assert_string_equal(topology.domains, "SMT MC");
}

TEST_WITH(what_is_not_there_is_not_known, own_directory_enter, own_directory_leave)
{
	struct cpu_topology topology;

	write_file("old/sys/devices/system/cpu/online", "0\n");
	write_file("old/proc/sys/kernel/sched_domain/cpu0/domain0/name", "DIE\n");
	cpu_topology_read("old", &topology);
	assert_string_equal(topology.smt, "");
	assert_string_equal(topology.llc, "");
	assert_string_equal(topology.node, "");
	assert_string_equal(topology.domains, "DIE");
	assert_string_equal(topology.capacity, "");
}
