/* SPDX-License-Identifier: MIT */
#include "cmd/run_metadata.h"

#include <stdio.h>
#include <sys/time.h>
#include <sys/utsname.h>
#include <time.h>

#include "base/file.h"
#include "base/json.h"
#include "base/version.h"

/* As Python's datetime.now().isoformat(): local time with microseconds. */
static void local_time_text(char *text, size_t size)
{
	struct timeval now;
	struct tm parts;
	char seconds[32];

	gettimeofday(&now, NULL);
	localtime_r(&now.tv_sec, &parts);
	strftime(seconds, sizeof(seconds), "%Y-%m-%dT%H:%M:%S", &parts);
	snprintf(text, size, "%s.%06ld", seconds, (long)now.tv_usec);
}

/* The keys of the original tool, in its order. */
static void add_original_keys(struct json_writer *json, const struct run_metadata *metadata)
{
	const struct workload *workload = metadata->workload_request->workload;
	struct utsname system;
	char now[64];

	uname(&system);
	local_time_text(now, sizeof(now));
	json_text(json, "trace_id", metadata->trace_id);
	json_text(json, "workload_name", workload->name);
	json_text(json, "category", workload->category);
	json_text(json, "description", workload->description);
	json_real(json, "start_time", metadata->start_time_s, 6);
	json_real(json, "end_time", metadata->end_time_s, 6);
	json_real(json, "duration_seconds", metadata->end_time_s - metadata->start_time_s, 2);
	json_u64(json, "sched_switch_events", metadata->switches);
	json_u64(json, "buffer_size_kb", metadata->request->buffer_size_kb);
	json_text(json, "collected_at", now);
	json_text(json, "hostname", system.nodename);
	json_text(json, "kernel", system.release);
	json_u64(json, "num_cpus", (uint64_t)CPU_COUNT(&metadata->cpus->online));
}

static void add_workload(struct json_writer *json, const struct run_metadata *metadata)
{
	const struct workload_request *request = metadata->workload_request;
	const struct workload_result *result = metadata->result;
	uint64_t loops = workload_effective_loops(request);

	json_text(json, "parameters", request->workload->parameters);
	json_real(json, "scale", request->scale, 6);
	if (loops)
		json_u64(json, "loops", loops);
	else
		json_null(json, "loops");
	if (loops)
		json_null(json, "timed_seconds");
	else
		json_real(json, "timed_seconds", workload_effective_duration_s(request), 6);
	json_u64(json, "tasks", result->tasks);
	json_u64(json, "work_done", result->work_done);
	json_text(json, "work_unit", request->workload->work_unit);
	json_real(json, "elapsed_seconds", result->elapsed_s, 9);
	if (result->elapsed_s > 0)
		json_real(json, "work_per_second", (double)result->work_done / result->elapsed_s, 3);
	else
		json_null(json, "work_per_second");
	json_u64(json, "voluntary_switches", result->voluntary_switches);
	json_u64(json, "involuntary_switches", result->involuntary_switches);
}

static void add_buffers(struct json_writer *json, const struct run_metadata *metadata)
{
	json_text(json, "trace_clock", metadata->request->clock);
	if (metadata->request->drain_ms)
		json_u64(json, "drain_ms", metadata->request->drain_ms);
	else
		json_null(json, "drain_ms");
	json_u64(json, "events", metadata->events);
	json_u64(json, "lost_events", metadata->lost);
	json_array_begin(json, "buffers");
	for (unsigned int cpu = 0; cpu < capture_cpu_count(metadata->session); cpu++) {
		const struct ring_stats *stats = capture_stats(metadata->session, cpu);
		if (!*capture_stats_text(metadata->session, cpu))
			continue;
		json_object_begin(json, NULL);
		json_u64(json, "cpu", cpu);
		json_u64(json, "entries", ring_stats_recorded(stats));
		json_u64(json, "overrun", stats->overrun);
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

static void add_cpus(struct json_writer *json, const struct run_metadata *metadata)
{
	const struct cpu_layout *cpus = metadata->cpus;

	add_cpu_list(json, "cpus_online", &cpus->online);
	add_cpu_list(json, "cpus_isolated", &cpus->isolated);
	add_cpu_list(json, "cpus_workload", &cpus->workload);
	if (cpus->tracer_cpu >= 0)
		json_i64(json, "cpu_tracer", cpus->tracer_cpu);
	else
		json_null(json, "cpu_tracer");
}

static void add_machine(struct json_writer *json, const struct run_metadata *metadata)
{
	const struct machine *machine = metadata->machine;
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
	if (machine->tunable_count == 0) {
		json_null(json, "scheduler_tunables");
		return;
	}
	json_object_begin(json, "scheduler_tunables");
	for (size_t i = 0; i < machine->tunable_count; i++)
		json_text(json, machine->tunables[i].name, machine->tunables[i].value);
	json_object_end(json);
}

static void add_scratch(struct json_writer *json, const struct scratch *scratch)
{
	if (!scratch->kind[0]) {
		json_null(json, "scratch");
		return;
	}
	json_object_begin(json, "scratch");
	json_text(json, "kind", scratch->kind);
	json_text(json, "path", scratch->path);
	json_text(json, "file_system", scratch->file_system[0] ? scratch->file_system : NULL);
	json_object_end(json);
}

enum status run_metadata_write(const struct run_metadata *metadata, const char *path, struct error *err)
{
	struct buffer text = {0};
	struct json_writer json = {.out = &text};

	json_object_begin(&json, NULL);
	add_original_keys(&json, metadata);
	add_workload(&json, metadata);
	add_buffers(&json, metadata);
	add_cpus(&json, metadata);
	add_machine(&json, metadata);
	add_scratch(&json, metadata->scratch);
	json_text(&json, "accelerator", metadata->request->accelerator);
	json_text(&json, "picknext_version", PICKNEXT_VERSION);
	json_text(&json, "picknext_commit", PICKNEXT_COMMIT);
	json_object_end(&json);
	buffer_text(&text, "\n");
	enum status status = STATUS_OK;
	if (text.failed)
		status = error_set(err, STATUS_SYSTEM, path, "out of memory for the metadata");
	else
		status = file_replace(path, text.data, text.length, err);
	buffer_free(&text);
	return status;
}
