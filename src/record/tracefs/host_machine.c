/* SPDX-License-Identifier: MIT */
#include "record/tracefs/host_machine.h"

#include <dirent.h>
#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/file.h"
#include "record/tracefs/kernel_text.h"

static const char debug_directory[] = "/sys/kernel/debug";

/* The file of each tunable: under debugfs sched/ since 5.13, a sysctl before. */
static const struct {
	const char *name;
	const char *path;
} tunable_files[] = {
    {"base_slice_ns", "/sys/kernel/debug/sched/base_slice_ns"},
    {"min_granularity_ns", "/sys/kernel/debug/sched/min_granularity_ns"},
    {"min_granularity_ns", "/proc/sys/kernel/sched_min_granularity_ns"},
    {"latency_ns", "/sys/kernel/debug/sched/latency_ns"},
    {"latency_ns", "/proc/sys/kernel/sched_latency_ns"},
    {"wakeup_granularity_ns", "/sys/kernel/debug/sched/wakeup_granularity_ns"},
    {"wakeup_granularity_ns", "/proc/sys/kernel/sched_wakeup_granularity_ns"},
    {"idle_min_granularity_ns", "/sys/kernel/debug/sched/idle_min_granularity_ns"},
    {"migration_cost_ns", "/sys/kernel/debug/sched/migration_cost_ns"},
    {"migration_cost_ns", "/proc/sys/kernel/sched_migration_cost_ns"},
    {"nr_migrate", "/sys/kernel/debug/sched/nr_migrate"},
    {"nr_migrate", "/proc/sys/kernel/sched_nr_migrate"},
    {"tunable_scaling", "/sys/kernel/debug/sched/tunable_scaling"},
    {"tunable_scaling", "/proc/sys/kernel/sched_tunable_scaling"},
    {"child_runs_first", "/proc/sys/kernel/sched_child_runs_first"},
    {"autogroup_enabled", "/proc/sys/kernel/sched_autogroup_enabled"},
    {"rt_period_us", "/proc/sys/kernel/sched_rt_period_us"},
    {"rt_runtime_us", "/proc/sys/kernel/sched_rt_runtime_us"},
    {"features", "/sys/kernel/debug/sched/features"},
    {"features", "/sys/kernel/debug/sched_features"},
    {"preempt", "/sys/kernel/debug/sched/preempt"},
};

static bool has_tunable(const struct host_machine *machine, const char *name)
{
	for (size_t i = 0; i < machine->tunable_count; i++)
		if (strcmp(machine->tunables[i].name, name) == 0)
			return true;
	return false;
}

static void add_tunable(struct host_machine *machine, const char *name, const char *value)
{
	if (machine->tunable_count == HOST_TUNABLES_MAX || has_tunable(machine, name) || !*value)
		return;
	struct host_tunable *tunable = &machine->tunables[machine->tunable_count++];
	snprintf(tunable->name, sizeof(tunable->name), "%s", name);
	snprintf(tunable->value, sizeof(tunable->value), "%s", value);
	for (size_t end = strlen(tunable->value); end && tunable->value[end - 1] == ' '; end--)
		tunable->value[end - 1] = '\0';
}

/* Lazy preemption exists since Linux 6.13. */
static bool may_be_lazy(const char *release)
{
	char *end;
	const unsigned long major = strtoul(release, &end, 10);

	return major > 6 || (major == 6 && *end == '.' && strtoul(end + 1, NULL, 10) >= 13);
}

const char *preemption_from_build(const char *release, const char *version, const char *configuration)
{
	if (strstr(version, "PREEMPT_RT"))
		return "rt";
	if (strstr(version, "PREEMPT_DYNAMIC"))
		return "dynamic";
	if (!strstr(version, "PREEMPT"))
		return "voluntary or none";
	if (configuration)
		return strstr(configuration, "\nCONFIG_PREEMPT_LAZY=y\n") ? "lazy" : "full";
	return may_be_lazy(release) ? "full or lazy" : "full";
}

void host_machine_add_debug(struct host_machine *machine, const char *text)
{
	static const char start[] = ".sysctl_sched_";

	for (const char *at = strstr(text, start); at; at = strstr(at + 1, start)) {
		const char *name = at + sizeof(start) - 1;
		size_t length = strspn(name, "abcdefghijklmnopqrstuvwxyz_");
		const char *colon = name + length + strspn(name + length, " ");
		char *fraction;
		char full_name[48];
		char value[32];
		if (*colon != ':')
			continue;
		unsigned long long whole = strtoull(colon + 1, &fraction, 10);
		/* "1 (logarithmic)" and feature bits have no fraction: they are not times. */
		if (*fraction != '.' || strspn(fraction + 1, "0123456789") != 6 || whole > 1000000000)
			continue;
		snprintf(full_name, sizeof(full_name), "%.*s_ns", (int)(length < 39 ? length : 39), name);
		snprintf(value, sizeof(value), "%llu", whole * 1000000 + strtoull(fraction + 1, NULL, 10));
		add_tunable(machine, full_name, value);
	}
}

/* Mounts debugfs at debug_directory in a mount namespace of this process. */
static void mount_debugfs_privately(void)
{
	if (access("/sys/kernel/debug/sched", F_OK) == 0 || access("/sys/kernel/debug/sched_features", F_OK) == 0)
		return;
	if (unshare(CLONE_NEWNS) < 0 || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0)
		return;
	/* Best effort: without debugfs there are fewer tunables. */
	(void)mount("none", debug_directory, "debugfs", 0, NULL);
}

static void collect_tunables(struct host_machine *machine)
{
	struct buffer text = {0};

	for (size_t i = 0; i < sizeof(tunable_files) / sizeof(tunable_files[0]); i++) {
		char value[1024];
		if (!has_tunable(machine, tunable_files[i].name) &&
		    file_read_line(tunable_files[i].path, value, sizeof(value)))
			add_tunable(machine, tunable_files[i].name, value);
	}
	/* Lockdown blocks the writable files; this one is read-only and stays available. */
	if (file_read("/sys/kernel/debug/sched/debug", 1 << 24, &text, NULL) == STATUS_OK)
		host_machine_add_debug(machine, text.data);
	buffer_free(&text);
}

/* In a child process, because a process cannot leave its mount namespace again. */
static void collect_in_child(struct host_machine *machine)
{
	int ends[2];
	struct host_machine found;

	if (pipe(ends) < 0)
		return;
	pid_t child = fork();
	if (child == 0) {
		prctl(PR_SET_NAME, "picknext-look");
		mount_debugfs_privately();
		collect_tunables(machine);
		cpu_topology_read("", &machine->topology);
		enum status status = file_write_all(ends[1], machine, sizeof(*machine), "pipe", NULL);
		_exit(status == STATUS_OK ? 0 : 1);
	}
	close(ends[1]);
	size_t length = 0;
	while (child > 0 && length < sizeof(found)) {
		ssize_t got = read(ends[0], (char *)&found + length, sizeof(found) - length);
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			break;
		length += (size_t)got;
	}
	close(ends[0]);
	while (child > 0 && waitpid(child, NULL, 0) < 0 && errno == EINTR)
		;
	if (length == sizeof(found))
		*machine = found;
}

/* In guests that need it, vm provides the first path. */
static bool read_configuration(const char *release, struct buffer *text)
{
	static const char *const paths[] = {"/boot/config-%s", "/lib/modules/%s/config"};

	for (size_t i = 0; i < sizeof(paths) / sizeof(*paths); i++) {
		struct buffer path = {0};
		buffer_printf(&path, paths[i], release);
		const bool is_read = file_read(path.data, 4u << 20, text, NULL) == STATUS_OK && text->data;
		buffer_free(&path);
		if (is_read)
			return true;
		buffer_free(text);
	}
	return false;
}

static void decide_preemption(struct host_machine *machine)
{
	struct buffer text = {0};
	struct utsname system;

	uname(&system);
	const bool is_read = read_configuration(system.release, &text);
	snprintf(machine->preemption, sizeof(machine->preemption), "%s",
		 preemption_from_build(system.release, system.version, is_read ? text.data : NULL));
	buffer_free(&text);
	for (size_t i = 0; i < machine->tunable_count; i++) {
		char word[64];
		const struct host_tunable *tunable = &machine->tunables[i];
		if (strcmp(tunable->name, "preempt") == 0 && marked_word(tunable->value, '(', ')', word, sizeof(word)))
			snprintf(machine->preemption, sizeof(machine->preemption), "%s", word);
	}
}

static int compare_names(const void *left, const void *right)
{
	return strcmp(left, right);
}

static void collect_mitigations(struct host_machine *machine)
{
	static const char path[] = "/sys/devices/system/cpu/vulnerabilities";
	static const char active[] = "Mitigation"; /* else "Not affected", "Vulnerable" */
	char names[32][64];
	size_t count = 0;
	size_t length = 0;
	DIR *directory = opendir(path);

	if (!directory)
		return;
	for (const struct dirent *entry; count < 32 && (entry = readdir(directory));) {
		char file[sizeof(path) + sizeof(entry->d_name) + 1];
		char text[32];
		snprintf(file, sizeof(file), "%s/%s", path, entry->d_name);
		if (file_read_line(file, text, sizeof(text)) && strncmp(text, active, strlen(active)) == 0)
			snprintf(names[count++], sizeof(names[0]), "%.60s", entry->d_name);
	}
	closedir(directory);
	qsort(names, count, sizeof(names[0]), compare_names);
	snprintf(machine->mitigations, sizeof(machine->mitigations), "none");
	for (size_t i = 0; i < count && length < sizeof(machine->mitigations); i++)
		length += (size_t)snprintf(machine->mitigations + length, sizeof(machine->mitigations) - length, "%s%s",
					   i ? " " : "", names[i]);
}

void host_machine_read(struct host_machine *machine)
{
	struct timespec tick;

	*machine = (struct host_machine){0};
	collect_in_child(machine);
	decide_preemption(machine);
	collect_mitigations(machine);
	file_read_line("/sys/devices/system/clocksource/clocksource0/current_clocksource", machine->clocksource,
		       sizeof(machine->clocksource));
	/* The resolution of the coarse clock is one tick. */
	if (clock_getres(CLOCK_MONOTONIC_COARSE, &tick) == 0 && tick.tv_sec == 0 && tick.tv_nsec > 0)
		machine->hz = (unsigned int)((1000000000 + tick.tv_nsec / 2) / tick.tv_nsec);
}
