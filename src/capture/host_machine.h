/* SPDX-License-Identifier: MIT
 *
 * The running kernel's scheduler settings: tunables, preemption mode, tick, clocksource, mitigations. Each is optional:
 * kernels differ in what they show, and lockdown hides more. */
#ifndef CAPTURE_HOST_MACHINE_H
#define CAPTURE_HOST_MACHINE_H

#include <stdbool.h>
#include <stddef.h>

#define HOST_TUNABLES_MAX 24

struct host_tunable {
	char name[48];    /* as the kernel calls it today: "base_slice_ns", "features" */
	char value[1024]; /* as it shows it, on one line */
};

struct host_machine {
	struct host_tunable tunables[HOST_TUNABLES_MAX];
	size_t tunable_count;
	char preemption[64];  /* "full", "voluntary", "dynamic"...; never empty */
	char clocksource[64]; /* "tsc", or "" */
	unsigned int hz;      /* ticks a second, 0 where not known */
	/* The CPU's vulnerabilities that the kernel works against, as sysfs calls them, in alphabetical order:
	 * "meltdown spectre_v1"; "none"; "" if not known. */
	char mitigations[512];
};

/* Reads them. Where debugfs is not mounted, a child process mounts it for itself alone. */
void host_machine_read(struct host_machine *machine);

/* The preemption mode from the version text of uname -v: "dynamic", "rt", "lazy", "full", or "voluntary or none".
 * Pure. */
const char *preemption_from_version(const char *version);

/* Whether the text of one of /sys/devices/system/cpu/vulnerabilities says that something is done: "Mitigation: PTI".
 * Pure.
 */
bool mitigation_is_active(const char *text);

/* Adds the tunables that the text of debugfs sched/debug shows to machine, those it has already excepted. It gives
 * times in milliseconds with six decimals: ".sysctl_sched_base_slice : 1.400000" becomes base_slice_ns 1400000.
 * Pure. */
void host_machine_add_debug(struct host_machine *machine, const char *text);

#endif
