/* SPDX-License-Identifier: MIT
 *
 * How the CPUs of this machine are grouped, as its kernel shows it in sysfs. */
#ifndef BASE_CPU_TOPOLOGY_H
#define BASE_CPU_TOPOLOGY_H

#define CPU_GROUPS_TEXT_SIZE 8192

/* Groups of CPUs are lists separated by spaces, such as "0-1 2-3"; "": not known. */
struct cpu_topology {
	char smt[CPU_GROUPS_TEXT_SIZE];  /* hardware threads of one core */
	char llc[CPU_GROUPS_TEXT_SIZE];  /* one cache of the last level */
	char node[CPU_GROUPS_TEXT_SIZE]; /* one NUMA node */
	/* CPUs of each capacity, where the kernel shows it: "0-1=512 2-4=1024" */
	char capacity[CPU_GROUPS_TEXT_SIZE];
	char domains[256]; /* names of the scheduling domains of CPU 0, the smallest first: "SMT MC NUMA" */
};

/* root is a directory that holds sys/ and proc/; "" for this machine. */
void cpu_topology_read(const char *root, struct cpu_topology *topology);

#endif
