/* SPDX-License-Identifier: MIT */
#include "runs/run_metadata.h"

#include "base/json.h"
#include "runs/metadata_parts.h"

/* The keys of the original tool, in its order. */
static void add_original_keys(struct json_writer *json, const struct run_metadata *metadata)
{
	const struct workload *workload = metadata->workload_request->workload;

	json_text(json, "trace_id", metadata->trace_id);
	json_text(json, "workload_name", workload->name);
	json_text(json, "category", workload->category);
	json_text(json, "description", workload->description);
	json_real(json, "start_time", metadata->start_time_s, 6);
	json_real(json, "end_time", metadata->end_time_s, 6);
	json_real(json, "duration_seconds", metadata->end_time_s - metadata->start_time_s, 2);
	json_u64(json, "sched_switch_events", metadata->switches);
	json_u64(json, "buffer_size_kb", metadata->request->buffer_size_kb);
	metadata_add_origin(json, metadata->cpus);
}

static void add_workload(struct json_writer *json, const struct run_metadata *metadata)
{
	const struct workload_request *request = metadata->workload_request;
	const struct workload_result *result = metadata->result;
	uint64_t loops = workload_effective_loops(request);

	if (request->workload->command) {
		metadata_add_command(json, request->workload->command);
		metadata_add_command_pid(json, result->command_pid);
		json_i64(json, "command_exit_code", result->command_code);
	}
	json_text(json, "parameters", request->workload->parameters);
	json_real(json, "scale", request->scale, 6);
	if (loops)
		json_u64(json, "loops", loops);
	else
		json_null(json, "loops");
	if (loops || request->workload->command)
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
	json_u64(json, "lost_events", metadata->losses->events);
	trace_losses_add(json, metadata->losses);
	metadata_add_buffers(json, metadata->session);
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
	metadata_add_cpus(&json, metadata->cpus);
	metadata_add_machine(&json, metadata->machine);
	add_scratch(&json, metadata->scratch);
	json_text(&json, "accelerator", metadata->request->accelerator);
	metadata_add_version(&json);
	json_object_end(&json);
	return metadata_write_file(&text, path, err);
}
