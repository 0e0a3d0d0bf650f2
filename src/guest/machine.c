/* SPDX-License-Identifier: MIT */
#include "guest/machine.h"

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/file.h"
#include "base/interrupt.h"
#include "record/tracefs/cpus.h"
#include "record/tracefs/host_machine.h"
#include "runs/cpu_levels.h"
#include "vm/protocol/topology.h"

#define HEADROOM_KB 32768u /* for the workload's tasks and the page cache */
#define KB_MIN      16384u

enum status guest_check_ftrace(struct error *err)
{
	static const char *const events[] = {"/sys/kernel/tracing/events/sched/sched_switch",
					     "/sys/kernel/debug/tracing/events/sched/sched_switch"};

	for (size_t i = 0; i < sizeof(events) / sizeof(events[0]); i++)
		if (access(events[i], F_OK) == 0)
			return STATUS_OK;
	error_set(err, STATUS_UNSUPPORTED, NULL, "this kernel has no trace event sched_switch");
	return error_remedy(
	    err, "build it with CONFIG_FTRACE and CONFIG_ENABLE_DEFAULT_TRACERS (or CONFIG_FUNCTION_TRACER), "
		 "and do not lock it down to confidentiality, which closes tracefs");
}

void guest_clock_read(char *name, size_t size)
{
	static const char path[] = "/sys/devices/system/clocksource/clocksource0/current_clocksource";

	for (unsigned int waited_ms = 0;; waited_ms += 100) {
		if (!file_read_line(path, name, size))
			snprintf(name, size, "unknown");
		/* A kernel that has just booted still calibrates the TSC; waits, so that the clocksource does not
		 * change during a trace. */
		if (strcmp(name, "tsc-early") != 0 || waited_ms >= 3000)
			break;
		if (interrupt_sleep(100, NULL) != STATUS_OK)
			break;
	}
}

bool guest_clock_is_exact(const char *name)
{
	static const char *const exact[] = {"tsc", "tsc-early", "kvm-clock", "arch_sys_counter"};

	for (size_t i = 0; i < sizeof(exact) / sizeof(exact[0]); i++)
		if (strcmp(name, exact[i]) == 0)
			return true;
	return false;
}

/* One of the groups that --topology asks for. */
struct asked_group {
	enum cpu_level level;
	const char *key;
	bool is_given;
	unsigned int cpus;          /* of each */
	const char *seen, *domains; /* the kernel's groups; its names for a domain of this size */
	bool makes_domain;          /* it is larger than the group below */
};

static bool has_domain(const char *seen, const char *names)
{
	char name[32];

	for (; *seen; seen += strspn(seen, " ")) {
		const size_t length = strcspn(seen, " ");
		snprintf(name, sizeof(name), " %.*s ", (int)(length < 29 ? length : 29), seen);
		if (strstr(names, name))
			return true;
		seen += length;
	}
	return false;
}

static enum status check_group(const struct asked_group *group, const struct cpu_levels *levels, const cpu_set_t *cpus,
			       const char *domains, struct error *err)
{
	if (group->is_given && !cpu_levels_are_blocks(levels, group->level, cpus, group->cpus)) {
		error_set(err, STATUS_UNSUPPORTED, "--topology",
			  "%s: asked for groups of %u CPUs, but the kernel shows %.150s", group->key, group->cpus,
			  *group->seen ? group->seen : "none");
		return error_remedy(err, "omit it, or use a kernel and a QEMU that show it");
	}
	/* Older kernels, and those without CONFIG_SCHED_DEBUG or debugfs, do not show their domains. */
	if (!group->is_given || !group->makes_domain || !*domains || has_domain(domains, group->domains))
		return STATUS_OK;
	error_set(err, STATUS_UNSUPPORTED, "--topology",
		  "%s: the kernel shows the groups, but makes no scheduling domain of them, only %s", group->key,
		  domains);
	return error_remedy(err, "build it with CONFIG_SCHED_SMT, CONFIG_SCHED_MC and CONFIG_NUMA");
}

/* The first CPUs are little: all of a kind have the same capacity, and big ones have more. */
static enum status check_kinds(const struct topology *topology, const struct cpu_levels *levels, const cpu_set_t *cpus,
			       const char *seen, struct error *err)
{
	uint16_t kinds[2] = {0}; /* capacities: little, big */
	unsigned int count = 0;
	bool is_seen = true;

	for (unsigned int cpu = 0; cpu < CPU_LEVELS_CPUS; cpu++) {
		if (!CPU_ISSET(cpu, cpus))
			continue;
		uint16_t *kind = &kinds[count++ >= topology->little];
		*kind = *kind ? *kind : levels->capacities[cpu];
		is_seen = is_seen && *kind && levels->capacities[cpu] == *kind;
	}
	if (is_seen && kinds[0] < kinds[1])
		return STATUS_OK;
	error_set(err, STATUS_UNSUPPORTED, "--topology",
		  "asked for %u little CPUs and %u big ones, but the kernel shows these capacities: %.150s",
		  topology->little, topology->big, *seen ? seen : "none");
	return error_remedy(err, "omit it, or use a kernel that shows them");
}

enum status guest_check_topology(const char *asked, struct error *err)
{
	struct topology topology;
	struct cpu_layout layout;
	struct cpu_levels levels;
	struct host_machine machine;
	enum status status = topology_parse(asked, &topology, err);

	if (status == STATUS_OK)
		status = cpu_layout_read(&layout, err);
	if (status != STATUS_OK || !(topology_is_given(&topology) || topology_has_kinds(&topology)))
		return status;
	host_machine_read(&machine);
	const struct cpu_topology *seen = &machine.topology;
	cpu_levels_read(
	    &(struct run_topology){.smt = seen->smt, .llc = seen->llc, .node = seen->node, .capacity = seen->capacity},
	    &levels);
	if (topology_has_kinds(&topology))
		return check_kinds(&topology, &levels, &layout.workload, seen->capacity, err);
	const unsigned int count = (unsigned int)CPU_COUNT(&layout.workload);
	const unsigned int core = topology_core_cpus(&topology), cache = topology_cache_cpus(&topology, count);
	const unsigned int node = topology_node_cpus(&topology, count);
	const struct asked_group groups[] = {
	    {CPU_LEVEL_SMT, "smt", topology.smt, core, seen->smt, " SMT ", core > 1},
	    {CPU_LEVEL_LLC, "llc", topology.llc, cache, seen->llc, " MC ", cache > core},
	    {CPU_LEVEL_NODE, "numa", topology.numa, node, seen->node, " NUMA NODE ", node < count},
	};
	for (size_t i = 0; i < sizeof(groups) / sizeof(groups[0]) && status == STATUS_OK; i++)
		status = check_group(&groups[i], &levels, &layout.workload, seen->domains, err);
	return status;
}

bool guest_is_mount_point(const char *path)
{
	char above[4096 + 4];
	struct stat here, there;

	snprintf(above, sizeof(above), "%.4095s/..", path);
	return stat(path, &here) == 0 && stat(above, &there) == 0 && here.st_dev != there.st_dev;
}

const char *guest_scratch_device(void)
{
	static const char *const devices[] = {"/dev/nullb0", "/dev/vda"};
	struct stat info;

	for (size_t i = 0; i < sizeof(devices) / sizeof(devices[0]); i++)
		if (stat(devices[i], &info) == 0 && S_ISBLK(info.st_mode))
			return devices[i];
	return NULL;
}

static uint64_t available_kb(void)
{
	struct buffer text = {0};
	uint64_t value = 0;

	if (file_read("/proc/meminfo", 65536, &text, NULL) == STATUS_OK) {
		const char *line = strstr(text.data, "MemAvailable:");
		value = line ? strtoull(line + strlen("MemAvailable:"), NULL, 10) : 0;
	}
	buffer_free(&text);
	return value;
}

enum status guest_mount_memory(const char *path, uint64_t buffer_size_kb, struct error *err)
{
	cpu_set_t cpus;

	CPU_ZERO(&cpus);
	/* /init and its children may run on all CPUs, so these are the CPUs online. */
	sched_getaffinity(0, sizeof(cpus), &cpus);
	uint64_t taken = buffer_size_kb * (uint64_t)(CPU_COUNT(&cpus) > 0 ? CPU_COUNT(&cpus) : 1) + HEADROOM_KB;
	uint64_t available = available_kb();
	char options[64];

	if (available < taken + KB_MIN) {
		error_set(err, STATUS_SYSTEM, NULL,
			  "the guest has %llu KB of memory left, its trace buffers and a trace take %llu KB",
			  (unsigned long long)available, (unsigned long long)(taken + KB_MIN));
		return error_remedy(err, "give the guest more memory with --guest memory=MB, or lower --buffer-size");
	}
	if (mkdir(path, 0755) < 0 && errno != EEXIST)
		return error_system(err, errno, path, "cannot create directory");
	if (guest_is_mount_point(path))
		return STATUS_OK; /* already mounted: run again from the guest's shell */
	snprintf(options, sizeof(options), "mode=0755,size=%lluk", (unsigned long long)(available - taken));
	if (mount("traces", path, "tmpfs", MS_NOSUID | MS_NODEV, options) < 0)
		return error_system(err, errno, path, "cannot mount memory for traces");
	return STATUS_OK;
}

uint64_t guest_file_size(const char *path)
{
	struct stat info;

	return stat(path, &info) == 0 && S_ISREG(info.st_mode) ? (uint64_t)info.st_size : 0;
}
