/* SPDX-License-Identifier: MIT
 *
 * The requested topology of a guest: the groups of its workload CPUs. The host passes it to QEMU; the guest checks that
 * its kernel shows it. */
#ifndef VM_PROTOCOL_TOPOLOGY_H
#define VM_PROTOCOL_TOPOLOGY_H

#include <stdbool.h>

#include "base/error.h"

/* Numbers of groups; 0: not given, so one. The CPUs of a group follow each other. */
struct topology {
	unsigned int numa;     /* NUMA nodes */
	unsigned int llc;      /* caches of the last level in each node */
	unsigned int smt;      /* hardware threads of each core */
	unsigned int distance; /* between two nodes, as in the ACPI table: 10 is the distance to itself; 0: not given */
	/* CPUs of two capacities (big.LITTLE); the first ones are little. Both are given, or neither. */
	unsigned int big, little;
};

#define TOPOLOGY_HELP                                                                                                  \
	"groups of the workload CPUs, such as numa=2,llc=2,smt=2 with --cpus 8: 2 NUMA\n"                              \
	"nodes, 2 last-level caches in each, 2 hardware threads per core; distance=D\n"                                \
	"between nodes (20). big=2,little=2: CPUs of two capacities (big.LITTLE), on\n"                                \
	"arm64. The guest checks that its kernel sees them, and each run records them\n"                               \
	"(picknext help topology)"

/* text: "numa=N,llc=N,smt=N,distance=D", each optional, or "big=N,little=N"; NULL: nothing. STATUS_USAGE names
 * --topology. */
enum status topology_parse(const char *text, struct topology *topology, struct error *err);
/* STATUS_USAGE if the number of CPUs does not fit these groups. */
enum status topology_check(const struct topology *topology, unsigned int cpus, struct error *err);

/* CPUs of each group. */
unsigned int topology_core_cpus(const struct topology *topology);
unsigned int topology_cache_cpus(const struct topology *topology, unsigned int cpus);
unsigned int topology_node_cpus(const struct topology *topology, unsigned int cpus);
/* Numbers, at least 1. */
unsigned int topology_nodes(const struct topology *topology);
unsigned int topology_caches(const struct topology *topology); /* of all nodes */
static inline bool topology_is_given(const struct topology *topology)
{
	return topology->numa || topology->llc || topology->smt;
}
static inline bool topology_has_kinds(const struct topology *topology)
{
	return topology->big > 0;
}

#endif
