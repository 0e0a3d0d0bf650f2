/* SPDX-License-Identifier: MIT */
#include "runs/metadata_parts.h"

#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/cpu_list.h"
#include "base/file.h"
#include "base/utc.h"
#include "base/version.h"

void metadata_add_origin(struct json_writer *json, const struct cpu_layout *cpus)
{
	struct utsname system;
	char now[UTC_TEXT_SIZE];

	uname(&system);
	utc_text_now(now);
	json_text(json, "collected_at", now);
	json_text(json, "hostname", system.nodename);
	json_text(json, "kernel", system.release);
	json_u64(json, "num_cpus", (uint64_t)CPU_COUNT(&cpus->online));
}

void metadata_add_command(struct json_writer *json, char *const *command)
{
	json_array_begin(json, "command");
	for (; command && *command; command++)
		json_text(json, NULL, *command);
	json_array_end(json);
}

/* The first PID namespace has had this number on every kernel since 3.8. */
bool metadata_has_kernels_pids(void)
{
	static const char first[] = "pid:[4026531836]";
	char name[64];
	ssize_t length = readlink("/proc/self/ns/pid", name, sizeof(name));

	return length == (ssize_t)sizeof(first) - 1 && memcmp(name, first, sizeof(first) - 1) == 0;
}

void metadata_add_command_pid(struct json_writer *json, pid_t pid)
{
	if (pid > 0 && metadata_has_kernels_pids())
		json_i64(json, "command_pid", pid);
	else
		json_null(json, "command_pid");
}

void metadata_add_buffers(struct json_writer *json, const struct capture_session *session)
{
	json_array_begin(json, "buffers");
	for (unsigned int cpu = 0; cpu < capture_cpu_count(session); cpu++) {
		const struct ring_stats *stats = capture_stats(session, cpu);
		if (!*capture_stats_text(session, cpu))
			continue;
		json_object_begin(json, NULL);
		json_u64(json, "cpu", cpu);
		json_u64(json, "entries", ring_stats_recorded(stats));
		/* What a flight recording forgot lies before its beginning: it is not missing from it. */
		json_u64(json, "overrun", capture_overwrites(session) ? 0 : stats->overrun);
		if (capture_overwrites(session))
			json_u64(json, "overwritten", stats->overrun);
		json_u64(json, "commit_overrun", stats->commit_overrun);
		json_u64(json, "dropped_events", stats->dropped_events);
		json_object_end(json);
	}
	json_array_end(json);
}

static void add_cpu_list(struct json_writer *json, const char *key, const cpu_set_t *set)
{
	char text[4096];

	cpu_list_text(set, text, sizeof(text));
	json_text(json, key, text);
}

void metadata_add_cpus(struct json_writer *json, const struct cpu_layout *cpus)
{
	add_cpu_list(json, "cpus_online", &cpus->online);
	add_cpu_list(json, "cpus_isolated", &cpus->isolated);
	add_cpu_list(json, "cpus_workload", &cpus->workload);
	if (cpus->tracer_cpu >= 0)
		json_i64(json, "cpu_tracer", cpus->tracer_cpu);
	else
		json_null(json, "cpu_tracer");
}

void metadata_add_machine(struct json_writer *json, const struct machine *machine)
{
	struct utsname system;
	char command_line[4096];
	bool has_command_line = file_read_line("/proc/cmdline", command_line, sizeof(command_line));

	uname(&system);
	json_text(json, "kernel_version", system.version);
	json_text(json, "architecture", system.machine);
	json_text(json, "kernel_command_line", has_command_line ? command_line : NULL);
	json_text(json, "preemption", machine->preemption);
	if (machine->hz)
		json_u64(json, "hz", machine->hz);
	else
		json_null(json, "hz");
	json_text(json, "clocksource", machine->clocksource[0] ? machine->clocksource : NULL);
	json_text(json, "mitigations", machine->mitigations[0] ? machine->mitigations : NULL);
	if (machine->tunable_count == 0) {
		json_null(json, "scheduler_tunables");
		return;
	}
	json_object_begin(json, "scheduler_tunables");
	for (size_t i = 0; i < machine->tunable_count; i++)
		json_text(json, machine->tunables[i].name, machine->tunables[i].value);
	json_object_end(json);
}

void metadata_add_version(struct json_writer *json)
{
	json_text(json, "picknext_version", PICKNEXT_VERSION);
	json_text(json, "picknext_commit", PICKNEXT_COMMIT);
}

enum status metadata_write_file(struct buffer *text, const char *path, struct error *err)
{
	enum status status = STATUS_OK;

	buffer_text(text, "\n");
	if (text->failed)
		status = error_set(err, STATUS_SYSTEM, path, "out of memory for the metadata");
	else
		status = file_replace(path, text->data, text->length, err);
	buffer_free(text);
	return status;
}
