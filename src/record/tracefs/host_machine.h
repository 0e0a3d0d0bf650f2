/* SPDX-License-Identifier: MIT
 *
 * The running kernel's scheduler settings: tunables, preemption mode, tick, clocksource, mitigations. Each is optional:
 * kernels export different ones, and lockdown hides more. */
#ifndef RECORD_TRACEFS_HOST_MACHINE_H
#define RECORD_TRACEFS_HOST_MACHINE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/cpu_topology.h"

#define HOST_TUNABLES_MAX 24

struct host_tunable {
	char name[48];    /* current kernel name: "base_slice_ns", "features" */
	char value[1024]; /* as shown by the kernel, on one line */
};

struct host_machine {
	struct host_tunable tunables[HOST_TUNABLES_MAX];
	size_t tunable_count;
	char preemption[64];  /* "full", "voluntary", "dynamic"...; never empty */
	char clocksource[64]; /* "tsc", or "" */
	unsigned int hz;      /* ticks per second, 0 if unknown */
	/* The CPU vulnerabilities that the kernel mitigates, by sysfs name in alphabetical order: "meltdown
	 * spectre_v1"; "none"; "" if unknown. */
	char mitigations[512];
	struct cpu_topology topology;
};

/* Reads all settings. If debugfs is not mounted, a child process mounts it in a private mount namespace. */
void host_machine_read(struct host_machine *machine);

/* The preemption mode from the texts of uname -r and -v, and the kernel's configuration or NULL: "dynamic", "rt",
 * "lazy", "full", "voluntary or none"; "full or lazy", which differ in the configuration only.
 * Pure. */
const char *preemption_from_build(const char *release, const char *version, const char *configuration);

/* Adds tunables from the text of debugfs sched/debug to machine, unless it has them already. Times are in milliseconds
 * with six decimals: ".sysctl_sched_base_slice : 1.400000" becomes base_slice_ns 1400000.
 * Pure. */
void host_machine_add_debug(struct host_machine *machine, const char *text);

#endif
