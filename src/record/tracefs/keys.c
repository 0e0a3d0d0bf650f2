/* SPDX-License-Identifier: MIT */
#include "record/tracefs/keys.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cpu_list.h"
#include "base/file.h"
#include "base/kernel_btf.h"
#include "base/memory.h"
#include "base/message.h"
#include "base/number.h"
#include "record/tracefs/cpus.h"
#include "record/tracefs/dynamic_events.h"
#include "record/tracefs/host_machine.h"
#include "record/tracefs/tracefs.h"

/* A kernel without function events refuses each definition with EINVAL, which does not show the reason. */
static enum status check_kernel(const char *tracefs, struct error *err)
{
	struct buffer text = {0};
	bool has_kprobes = tracefs_has(tracefs, "kprobe_events");

	/* The kernel's own help: "f[:[<group>/][<event>]] <func-name>[%return] [<args>]". */
	bool has_fprobes = tracefs_read(tracefs, "README", &text, NULL) == STATUS_OK && strstr(text.data, "f[:[");
	buffer_free(&text);
	if (tracefs_has(tracefs, "dynamic_events") && (has_kprobes || has_fprobes))
		return STATUS_OK;
	error_set(err, STATUS_UNSUPPORTED, "--keys",
		  "this kernel was built without KPROBE_EVENTS and FPROBE_EVENTS: it cannot record scheduling keys");
	return error_remedy(err, "omit --keys, or boot a kernel with KPROBE_EVENTS in a guest: picknext vm --keys");
}

/* Tries the probes of an event. STATUS_UNSUPPORTED if the kernel accepts none. */
static enum status try_event(const char *tracefs, const char *group, const struct key_definition *event,
			     struct keys *keys, struct error *err)
{
	char reason[200];
	struct error refusal = {0};

	snprintf(reason, sizeof(reason), "%s", event->lacks);
	for (const struct key_probe *probe = event->probes; probe->text; probe++) {
		if (dynamic_events_define(tracefs, group, event->name, probe, &refusal) == STATUS_OK) {
			if (event->need != KEY_EVENT_NEEDED || dynamic_events_occur(tracefs, group, event->name)) {
				keys->events[keys->count].name = event->name;
				keys->events[keys->count++].probe = *probe;
				return STATUS_OK;
			}
			snprintf(reason, sizeof(reason), "its functions are never called");
			dynamic_events_remove_one(tracefs, group, event->name, NULL);
			continue;
		}
		if (refusal.errnum == EPERM || refusal.errnum == EACCES) {
			if (err)
				*err = refusal;
			return STATUS_SYSTEM;
		}
		if (probe == event->probes)
			dynamic_events_reason(tracefs, &refusal, reason, sizeof(reason));
	}
	if (event->need == KEY_EVENT_NEEDED) {
		error_set(err, STATUS_UNSUPPORTED, "--keys", "this kernel cannot record %s: %s", event->name, reason);
		return error_remedy(err, "omit --keys");
	}
	if (event->need != KEY_EVENT_OPTIONAL)
		buffer_printf(&keys->missing, "%s%s (%s)", keys->missing.length ? "; " : "", event->name, reason);
	return STATUS_OK;
}

static bool has_event(const struct keys *keys, const char *name)
{
	for (size_t i = 0; i < keys->count; i++)
		if (strcmp(keys->events[i].name, name) == 0)
			return true;
	return false;
}

static enum status try_events(const char *tracefs, const struct btf *btf, bool has_pick, unsigned int levels,
			      struct keys *keys, struct error *err)
{
	char group[DYNAMIC_GROUP_SIZE];

	dynamic_events_name_own_group(group);
	/* Left over from the attempt before, or from a killed process that had this PID. */
	enum status status = dynamic_events_remove(tracefs, group, err);
	key_events_make(btf, has_pick, levels, &keys->storage);
	for (size_t i = 0; i < keys->storage.count && status == STATUS_OK; i++)
		if (has_pick || strcmp(keys->storage.events[i].name, KEY_EVENT_PICK) != 0)
			status = try_event(tracefs, group, &keys->storage.events[i], keys, err);
	return status;
}

/* If the kernel refuses keys_pick, tries again with other events that record the queue too. */
static enum status choose_events(const char *tracefs, const struct btf *btf, unsigned int levels, struct keys *keys,
				 struct error *err)
{
	enum status status = try_events(tracefs, btf, true, levels, keys, err);

	if (status == STATUS_OK && !has_event(keys, KEY_EVENT_PICK)) {
		struct buffer missing = keys->missing;
		key_events_free(&keys->storage);
		keys->count = 0;
		keys->missing = (struct buffer){0};
		status = try_events(tracefs, btf, false, levels, keys, err);
		buffer_free(&keys->missing);
		keys->missing = missing;
	}
	if (status == STATUS_OK && keys->storage.missing.length)
		buffer_printf(&keys->missing, "%s%s", keys->missing.length ? "; " : "", keys->storage.missing.data);
	return status;
}

/* Levels of a line of /proc/self/cgroup, "0::/a/b" or "4:cpu,cpuacct:/a"; 0 for other controllers. */
static unsigned int count_levels(const char *line)
{
	unsigned int count = 0;
	const char *controllers = strchr(line, ':');
	const char *path = controllers ? strchr(controllers + 1, ':') : NULL;
	const char *cpu = strstr(line, "cpu");

	if (!path || (path != controllers + 1 && (!cpu || cpu > path)))
		return 0;
	for (path++; *path; path++)
		count += *path == '/' && path[1];
	return count;
}

static unsigned int own_levels(void)
{
	struct buffer text = {0};
	char *rest = NULL;
	unsigned int levels = 0;

	if (file_read("/proc/self/cgroup", 1u << 20, &text, NULL) == STATUS_OK && text.data)
		for (char *line = strtok_r(text.data, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest))
			levels = count_levels(line) > levels ? count_levels(line) : levels;
	buffer_free(&text);
	return levels;
}

unsigned int keys_levels(unsigned int groups)
{
	char value[16];
	const unsigned int levels = own_levels() + groups;
	const bool has_autogroup =
	    file_read_line("/proc/sys/kernel/sched_autogroup_enabled", value, sizeof(value)) && strcmp(value, "0") != 0;

	return levels ? levels : has_autogroup;
}

static uint64_t read_tunable(const char *name)
{
	char path[128], value[32];
	uint64_t number = 0;

	snprintf(path, sizeof(path), "/proc/sys/kernel/%s", name);
	if (file_read_line(path, value, sizeof(value)))
		number_parse_u64(value, &number); /* -1 (no limit) leaves 0 */
	return number;
}

static uint64_t mask_of(const cpu_set_t *cpus)
{
	uint64_t set = 0;

	for (unsigned int cpu = 0; cpu < 64; cpu++)
		set |= (uint64_t)(CPU_ISSET(cpu, cpus) != 0) << cpu;
	return set;
}

static uint64_t read_isolated(void)
{
	struct cpu_layout layout;

	return cpu_layout_read(&layout, NULL) == STATUS_OK ? mask_of(&layout.isolated) : 0;
}

static bool read_cpu(unsigned int cpu, const char *name, char *value, size_t size)
{
	char path[96];

	snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%u/%s", cpu, name);
	return file_read_line(path, value, size);
}

/* True if cores share more than the last-level cache. */
static bool has_clusters(unsigned int count)
{
	char value[64];

	for (unsigned int cpu = 0; cpu < count; cpu++)
		if (read_cpu(cpu, "topology/cluster_cpus_list", value, sizeof(value)) && strpbrk(value, ",-"))
			return true;
	return false;
}

static bool has_unequal_cpus(const struct cpu_topology *topology)
{
	/* Hybrid x86 may show no cpu_capacity. */
	return strchr(topology->capacity, ' ') || access("/sys/devices/cpu_atom", F_OK) == 0;
}

/* A guest of KVM or Xen treats an idle CPU as busy if the host may have preempted it (vcpu_is_preempted()). Guests of
 * picknext vm do not, because vm sets kvm-steal-time=off. */
static bool host_may_preempt(void)
{
#ifdef PICKNEXT_GUEST
	return false;
#else
	char clocks[256];

	return file_read_line("/sys/devices/system/clocksource/clocksource0/available_clocksource", clocks,
			      sizeof(clocks)) &&
	       (strstr(clocks, "kvm") || strstr(clocks, "xen"));
#endif
}

static uint64_t read_shared_cache(const struct cpu_topology *topology)
{
	char online[256];
	cpu_set_t cpus;

	/* All online CPUs share one last-level cache, and no core has several hardware threads. */
	if (host_may_preempt() || strpbrk(topology->smt, ",-") ||
	    !file_read_line("/sys/devices/system/cpu/online", online, sizeof(online)) ||
	    strcmp(topology->llc, online) != 0 || !cpu_list_parse(online, &cpus) ||
	    has_clusters((unsigned int)CPU_COUNT(&cpus)) || has_unequal_cpus(topology))
		return 0;
	return mask_of(&cpus);
}

static void make_mark(char text[KEY_MARK_SIZE])
{
	struct host_machine *machine = xcalloc(1, sizeof(*machine));
	struct key_mark mark = {.isolated = read_isolated(),
				.rr_slice_ms = read_tunable("sched_rr_timeslice_ms"),
				.rt_runtime_us = read_tunable("sched_rt_runtime_us")};

	host_machine_read(machine);
	mark.hz = machine->hz;
	mark.shared_cache = read_shared_cache(&machine->topology);
	mark.unequal_cpus = has_unequal_cpus(&machine->topology);
	for (size_t i = 0; i < machine->tunable_count; i++) {
		const struct host_tunable *tunable = &machine->tunables[i];
		if (strcmp(tunable->name, "base_slice_ns") == 0)
			number_parse_u64(tunable->value, &mark.base_slice_ns);
		if (strcmp(tunable->name, "wakeup_granularity_ns") == 0)
			number_parse_u64(tunable->value, &mark.wakeup_granularity_ns);
		if (strcmp(tunable->name, "features") == 0)
			snprintf(mark.features, sizeof(mark.features), "%s", tunable->value);
	}
	key_mark_write(&mark, text);
	free(machine);
}

/* Those that no session has removed. */
static void remove_tried(void *context)
{
	const struct keys *keys = context;
	char group[DYNAMIC_GROUP_SIZE];

	dynamic_events_name_own_group(group);
	dynamic_events_remove(keys->tracefs, group, NULL);
}

static enum status find_keys(struct keys *keys, unsigned int groups, struct error *err)
{
	struct buffer bytes = {0};
	struct btf btf = {0};

	*keys = (struct keys){.count = 0};
	enum status status = tracefs_find(keys->tracefs, sizeof(keys->tracefs), err);
	if (status == STATUS_OK)
		status = check_kernel(keys->tracefs, err);
	if (status == STATUS_OK)
		status = kernel_btf_open("--keys", &bytes, &btf, err);
	if (status == STATUS_OK) {
		cleanup_add(&keys->cleanup, remove_tried, keys);
		keys->levels = keys_levels(groups);
		status = choose_events(keys->tracefs, &btf, keys->levels, keys, err);
	}
	if (status == STATUS_OK)
		make_mark(keys->mark);
	else
		cleanup_finish(&keys->cleanup);
	if (status == STATUS_OK && keys->missing.length)
		message_warning("--keys: this kernel lacks %s", keys->missing.data);
	btf_close(&btf);
	buffer_free(&bytes);
	return status;
}

bool keys_are_wanted(const char *choice)
{
	return choice && strcmp(choice, "no") != 0;
}

enum status keys_choose(const char *choice, unsigned int groups, struct keys *keys, const struct keys **chosen,
			struct error *err)
{
	*chosen = NULL;
	if (!keys_are_wanted(choice))
		return STATUS_OK;
	enum status status = find_keys(keys, groups, err);
	if (status == STATUS_OK)
		*chosen = keys;
	else if (strcmp(choice, "if-possible") == 0)
		message_warning("scheduling keys are not recorded, so picks cannot be checked: %s", err->what);
	else
		return status;
	return STATUS_OK;
}

void keys_free(struct keys *keys)
{
	cleanup_finish(&keys->cleanup);
	key_events_free(&keys->storage);
	buffer_free(&keys->missing);
	*keys = (struct keys){.count = 0};
}
