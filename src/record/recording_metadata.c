/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "base/json.h"
#include "record/recording_state.h"
#include "runs/metadata_parts.h"

static const char *end_text(enum recording_end end)
{
	static const char *const texts[] = {
	    [RECORDING_COMMAND] = "command", [RECORDING_PROCESSES] = "processes", [RECORDING_DURATION] = "duration",
	    [RECORDING_SIGNAL] = "signal",   [RECORDING_FAILED] = "failure",
	};

	return texts[end];
}

static void add_description(struct json_writer *json, const struct recording *recording)
{
	struct buffer text = {0};
	char *const *argument = recording->request->command;

	if (!argument)
		buffer_text(&text, recording->request->processes->count ? "processes" : "the whole machine");
	for (; argument && *argument; argument++)
		buffer_printf(&text, "%s%s", text.length ? " " : "", *argument);
	json_bytes(json, "description", text.data ? text.data : "", text.length);
	buffer_free(&text);
}

/* The keys of the original tool, in its order. */
static void add_original_keys(struct json_writer *json, const struct recording *recording, const char *trace_id)
{
	json_text(json, "trace_id", trace_id);
	json_text(json, "workload_name", recording->request->name);
	json_text(json, "category", recording->request->category);
	add_description(json, recording);
	json_real(json, "start_time", recording->start_s, 6);
	json_real(json, "end_time", recording->end_s, 6);
	json_real(json, "duration_seconds", recording->end_s - recording->start_s, 2);
	json_u64(json, "sched_switch_events", recording->survey.switches);
	json_u64(json, "buffer_size_kb", recording->request->settings.buffer_size_kb);
	metadata_add_origin(json, &recording->cpus);
}

static void add_what(struct json_writer *json, const struct recording *recording)
{
	const struct recording_request *request = recording->request;
	size_t count;
	const struct capture_event *events = capture_events(recording->session, &count);

	metadata_add_command(json, request->command);
	metadata_add_command_pid(json, recording->command.pid);
	if (recording->command.ended)
		json_i64(json, "command_exit_code", traced_command_exit_code(&recording->command));
	else
		json_null(json, "command_exit_code");
	json_array_begin(json, "threads");
	for (size_t i = 0; i < request->processes->thread_count; i++)
		json_i64(json, NULL, request->processes->threads[i]);
	json_array_end(json);
	json_text(json, "ended_by", end_text(recording->outcome->end));
	json_array_begin(json, "event_names");
	for (size_t i = 0; i < count; i++) {
		struct buffer name = {0};
		buffer_printf(&name, "%s:%s", events[i].system, events[i].name);
		json_bytes(json, NULL, name.data ? name.data : "", name.length);
		buffer_free(&name);
	}
	json_array_end(json);
}

static void add_capture(struct json_writer *json, const struct recording *recording)
{
	const struct recording_request *request = recording->request;

	json_text(json, "trace_clock", request->settings.clock);
	if (request->drain_ms)
		json_u64(json, "drain_ms", request->drain_ms);
	else
		json_null(json, "drain_ms");
	if (request->flight_s > 0) {
		json_real(json, "flight_seconds", request->flight_s, 6);
		json_real(json, "complete_from", (double)recording->flight.start_ns / 1e9, 9);
	} else {
		json_null(json, "flight_seconds");
		json_null(json, "complete_from");
	}
	json_u64(json, "events", recording->survey.events);
	json_u64(json, "marks", recording->survey.marks);
	json_u64(json, "lost_events", recording->losses.events);
	trace_losses_add(json, &recording->losses);
	metadata_add_buffers(json, recording->session);
}

enum status recording_metadata_write(const struct recording *recording, const char *trace_id, const char *path,
				     struct error *err)
{
	struct buffer text = {0};
	struct json_writer json = {.out = &text};
	struct machine machine;

	machine_read(&machine);
	json_object_begin(&json, NULL);
	add_original_keys(&json, recording, trace_id);
	add_what(&json, recording);
	add_capture(&json, recording);
	metadata_add_cpus(&json, &recording->cpus);
	metadata_add_machine(&json, &machine);
	metadata_add_version(&json);
	json_object_end(&json);
	return metadata_write_file(&text, path, err);
}
