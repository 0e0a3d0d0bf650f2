/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "record/host_facts.h"
#include "record/recording_state.h"

static const char *end_text(enum recording_end end)
{
	static const char *const texts[] = {
	    [RECORDING_COMMAND] = "command", [RECORDING_PROCESSES] = "processes", [RECORDING_DURATION] = "duration",
	    [RECORDING_SIGNAL] = "signal",   [RECORDING_FAILED] = "failure",
	};

	return texts[end];
}

static void describe(const struct recording_request *request, struct buffer *text)
{
	char *const *argument = request->command;

	if (!argument)
		buffer_text(text, request->processes->count ? "processes" : "the whole machine");
	for (; argument && *argument; argument++)
		buffer_printf(text, "%s%s", text->length ? " " : "", *argument);
}

/* The names of the recorded events, "system:name", one after the other in text. False if memory ran out. */
static bool set_event_names(const struct recording *recording, struct run_recording *of, struct buffer *text)
{
	size_t count;
	const struct capture_event *events = capture_events(recording->session, &count);

	for (size_t i = 0; i < count; i++) {
		buffer_printf(text, "%s:%s", events[i].system, events[i].name);
		buffer_add(text, "", 1);
	}
	of->event_names = calloc(count + 1, sizeof(*of->event_names));
	if (text->failed || !of->event_names)
		return false;
	const char *name = text->data;
	for (; of->event_count < count; name += strlen(name) + 1)
		of->event_names[of->event_count++] = name;
	return true;
}

static struct run_recording recording_of(const struct recording *recording)
{
	const struct recording_request *request = recording->request;

	return (struct run_recording){
	    .threads = request->processes->threads,
	    .thread_count = request->processes->thread_count,
	    .ended_by = end_text(recording->outcome->end),
	    .flight_s = request->flight_s,
	    .complete_ns = recording->flight.start_ns,
	    .marks = recording->survey.marks,
	};
}

static struct run_command command_of(const struct recording *recording)
{
	const struct traced_command *command = &recording->command;

	return (struct run_command){
	    .arguments = recording->request->command,
	    .pid = has_kernel_pids() ? command->pid : 0,
	    .has_exit_code = command->ended,
	    .exit_code = command->ended ? traced_command_exit_code(command) : 0,
	};
}

enum status recording_metadata_write(const struct recording *recording, const char *trace_id, const char *path,
				     struct error *err)
{
	const struct recording_request *request = recording->request;
	struct host_facts facts;
	struct buffer description = {0};
	struct buffer names = {0};

	host_facts_read(&facts, &recording->cpus);
	describe(request, &description);
	struct run_metadata metadata = {
	    .trace_id = trace_id,
	    .workload_name = request->name,
	    .category = request->category,
	    .description = description.data ? description.data : "",
	    .start_s = recording->start_s,
	    .end_s = recording->end_s,
	    .switches = recording->survey.switches,
	    .events = recording->survey.events,
	    .buffer_size_kb = request->settings.buffer_size_kb,
	    .trace_clock = request->settings.clock,
	    .drain_ms = request->drain_ms,
	    .host = facts.host,
	    .command = command_of(recording),
	    .has_recording = true,
	    .recording = recording_of(recording),
	};
	enum status status = STATUS_OK;
	if (description.failed || !set_event_names(recording, &metadata.recording, &names) ||
	    !metadata_counts_set(&metadata, recording->session, &recording->losses))
		status = error_system(err, ENOMEM, path, "cannot write the metadata");
	if (status == STATUS_OK)
		status = run_metadata_write(&metadata, path, err);
	metadata_counts_free(&metadata);
	free(metadata.recording.event_names);
	buffer_free(&names);
	buffer_free(&description);
	return status;
}
