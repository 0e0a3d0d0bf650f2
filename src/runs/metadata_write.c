/* SPDX-License-Identifier: MIT */
#include <math.h>

#include "base/cpu_list.h"
#include "base/output_stream.h"
#include "base/version.h"
#include "runs/metadata.h"

static void write_count(struct json_writer *json, const char *key, uint64_t count)
{
	if (count)
		json_u64(json, key, count);
	else
		json_null(json, key);
}

void run_origin_write(struct json_writer *json, const struct run_host *host)
{
	json_text(json, "collected_at", host->collected_at);
	json_text(json, "hostname", host->hostname);
	json_text(json, "kernel", host->kernel);
	json_u64(json, "num_cpus", host->cpu_count);
}

void run_command_write(struct json_writer *json, char *const *arguments)
{
	json_array_begin(json, "command");
	for (; arguments && *arguments; arguments++)
		json_text(json, NULL, *arguments);
	json_array_end(json);
}

static void write_cpu_list(struct json_writer *json, const char *key, const cpu_set_t *set)
{
	char text[4096];

	cpu_list_text(set, text, sizeof(text));
	json_text(json, key, text);
}

void run_cpus_write(struct json_writer *json, const struct run_host *host)
{
	write_cpu_list(json, "cpus_online", &host->cpus_online);
	write_cpu_list(json, "cpus_isolated", &host->cpus_isolated);
	write_cpu_list(json, "cpus_workload", &host->cpus_workload);
	if (host->tracer_cpu >= 0)
		json_i64(json, "cpu_tracer", host->tracer_cpu);
	else
		json_null(json, "cpu_tracer");
}

void run_machine_write(struct json_writer *json, const struct run_host *host)
{
	json_text(json, "kernel_version", host->kernel_version);
	json_text(json, "architecture", host->architecture);
	json_text(json, "kernel_command_line", host->command_line);
	json_text(json, "preemption", host->preemption);
	write_count(json, "hz", host->hz);
	json_text(json, "clocksource", host->clocksource);
	json_text(json, "mitigations", host->mitigations);
	if (host->tunable_count == 0) {
		json_null(json, "scheduler_tunables");
		return;
	}
	json_object_begin(json, "scheduler_tunables");
	for (size_t i = 0; i < host->tunable_count; i++)
		json_text(json, host->tunables[i].name, host->tunables[i].value);
	json_object_end(json);
}

void run_version_write(struct json_writer *json)
{
	json_text(json, "picknext_version", PICKNEXT_VERSION);
	json_text(json, "picknext_commit", PICKNEXT_COMMIT);
}

/* The keys of the reference tool, in its order. */
static void write_reference_keys(struct json_writer *json, const struct run_metadata *metadata)
{
	json_text(json, "trace_id", metadata->trace_id);
	json_text(json, "workload_name", metadata->workload_name);
	json_text(json, "category", metadata->category);
	json_text(json, "description", metadata->description);
	json_real(json, "start_time", metadata->start_s, 6);
	json_real(json, "end_time", metadata->start_s + metadata->duration_s, 6);
	json_real(json, "duration_seconds", metadata->duration_s, 2);
	json_u64(json, "sched_switch_events", metadata->switches);
	json_u64(json, "buffer_size_kb", metadata->buffer_size_kb);
	run_origin_write(json, &metadata->host);
}

static void write_command(struct json_writer *json, const struct run_command *command)
{
	run_command_write(json, command->arguments);
	if (command->pid > 0)
		json_i64(json, "command_pid", command->pid);
	else
		json_null(json, "command_pid");
	if (command->has_exit_code)
		json_i64(json, "command_exit_code", command->exit_code);
	else
		json_null(json, "command_exit_code");
}

static void write_work(struct json_writer *json, const struct run_work *work)
{
	json_text(json, "parameters", work->parameters);
	json_real(json, "scale", work->scale, 6);
	write_count(json, "loops", work->loops);
	json_real(json, "timed_seconds", work->timed_s, 6);
	json_u64(json, "tasks", work->tasks);
	json_u64(json, "work_done", work->work_done);
	json_text(json, "work_unit", work->work_unit);
	json_real(json, "elapsed_seconds", work->elapsed_s, 9);
	json_real(json, "work_per_second",
		  work->elapsed_s > 0 ? (double)work->work_done / work->elapsed_s : (double)NAN, 9);
	json_u64(json, "voluntary_switches", work->voluntary_switches);
	json_u64(json, "involuntary_switches", work->involuntary_switches);
}

static void write_recording(struct json_writer *json, const struct run_recording *recording)
{
	json_array_begin(json, "threads");
	for (size_t i = 0; i < recording->thread_count; i++)
		json_i64(json, NULL, recording->threads[i]);
	json_array_end(json);
	json_text(json, "ended_by", recording->ended_by);
	json_array_begin(json, "event_names");
	for (size_t i = 0; i < recording->event_count; i++)
		json_text(json, NULL, recording->event_names[i]);
	json_array_end(json);
}

static void write_flight(struct json_writer *json, const struct run_recording *recording)
{
	if (recording->flight_s > 0) {
		json_real(json, "flight_seconds", recording->flight_s, 6);
		json_real(json, "complete_from", (double)recording->complete_ns / 1e9, 9);
	} else {
		json_null(json, "flight_seconds");
		json_null(json, "complete_from");
	}
}

static void write_losses(struct json_writer *json, const struct run_metadata *metadata)
{
	json_u64(json, "lost_events", metadata->lost_events);
	json_array_begin(json, "losses");
	for (size_t i = 0; i < metadata->losses.count; i++) {
		const struct loss *place = &metadata->losses.items[i];
		json_object_begin(json, NULL);
		json_u64(json, "cpu", place->cpu);
		json_u64(json, "events", place->events);
		json_real(json, "after", (double)place->after_ns / 1e9, 9);
		json_real(json, "before", (double)place->before_ns / 1e9, 9);
		json_object_end(json);
	}
	json_array_end(json);
}

static void write_buffers(struct json_writer *json, const struct run_metadata *metadata)
{
	json_array_begin(json, "buffers");
	for (size_t i = 0; i < metadata->buffer_count; i++) {
		const struct ring_stats *buffer = &metadata->buffers[i];
		json_object_begin(json, NULL);
		json_u64(json, "cpu", buffer->cpu);
		json_u64(json, "entries", buffer->entries);
		json_u64(json, "overrun", buffer->overrun);
		if (buffer->has_overwritten)
			json_u64(json, "overwritten", buffer->overwritten);
		json_u64(json, "commit_overrun", buffer->commit_overrun);
		json_u64(json, "dropped_events", buffer->dropped_events);
		json_object_end(json);
	}
	json_array_end(json);
}

static void write_capture(struct json_writer *json, const struct run_metadata *metadata)
{
	json_text(json, "trace_clock", metadata->trace_clock);
	write_count(json, "drain_ms", metadata->drain_ms);
	json_bool(json, "drain_realtime", metadata->drain_realtime);
	if (metadata->has_recording)
		write_flight(json, &metadata->recording);
	json_u64(json, "events", metadata->events);
	if (metadata->has_recording)
		json_u64(json, "marks", metadata->recording.marks);
	write_losses(json, metadata);
	write_buffers(json, metadata);
}

static void write_guest(struct json_writer *json, const struct run_work *work)
{
	if (work->scratch.kind) {
		json_object_begin(json, "scratch");
		json_text(json, "kind", work->scratch.kind);
		json_text(json, "path", work->scratch.path);
		json_text(json, "file_system", work->scratch.file_system);
		json_object_end(json);
	} else {
		json_null(json, "scratch");
	}
	json_text(json, "accelerator", work->accelerator);
	if (work->identity) {
		json_object_begin(json, "deterministic");
		json_u64(json, "seed", work->seed);
		json_text(json, "identity", work->identity);
		json_object_end(json);
	}
}

static void write_scheduler(struct json_writer *json, const struct run_scheduler *scheduler)
{
	json_object_begin(json, "scheduler");
	json_text(json, "given", scheduler->given);
	json_text(json, "ops", scheduler->ops);
	json_text(json, "sub_ops", scheduler->subs);
	json_text(json, "state", scheduler->state);
	json_u64(json, "enable_seq", scheduler->enable_seq);
	json_u64(json, "enable_seq_after", scheduler->enable_seq_after);
	json_bool(json, "switch_all", scheduler->switch_all);
	json_u64(json, "nr_rejected", scheduler->nr_rejected);
	json_text(json, "isolation", scheduler->isolation);
	json_text(json, "tracer_policy", scheduler->tracer_policy);
	json_text(json, "ejection", scheduler->ejection);
	json_object_begin(json, "events");
	for (size_t i = 0; i < scheduler->event_count; i++)
		json_u64(json, scheduler->events[i].name, scheduler->events[i].count);
	json_object_end(json);
	json_object_end(json);
}

enum status run_metadata_write(const struct run_metadata *metadata, const char *path, struct error *err)
{
	struct buffer text = {0};
	struct json_writer json = {.out = &text};

	json_object_begin(&json, NULL);
	write_reference_keys(&json, metadata);
	if (metadata->command.arguments || metadata->has_recording)
		write_command(&json, &metadata->command);
	if (metadata->has_work)
		write_work(&json, &metadata->work);
	if (metadata->has_recording)
		write_recording(&json, &metadata->recording);
	write_capture(&json, metadata);
	run_cpus_write(&json, &metadata->host);
	run_machine_write(&json, &metadata->host);
	if (metadata->scheduler.is_known)
		write_scheduler(&json, &metadata->scheduler);
	if (metadata->has_work)
		write_guest(&json, &metadata->work);
	run_version_write(&json);
	json_object_end(&json);
	buffer_text(&text, "\n");
	enum status status = output_replace(path, text.data, text.length, err);
	buffer_free(&text);
	return status;
}
