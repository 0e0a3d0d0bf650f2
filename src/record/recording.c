/* SPDX-License-Identifier: MIT */
#include "record/recording.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/clock.h"
#include "base/interrupt.h"
#include "base/memory.h"
#include "base/message.h"
#include "record/command_subject.h"
#include "record/host_facts.h"
#include "record/host_tasks.h"
#include "record/read_back.h"
#include "record/recorder.h"
#include "record/trace_file.h"
#include "record/tracefs/tracefs.h"

struct recording {
	struct recording_request *request;
	struct cpu_layout cpus;
	struct command_subject command; /* if there is one */
	struct trace_file file;
	struct buffer description;
	struct buffer event_names; /* each NUL-terminated */
	const char **events;       /* into event_names */
	size_t event_count;
	struct keys keys; /* with request->keys */
	double begin_s;   /* CLOCK_MONOTONIC; 0: not yet */
	struct host_tasks before, after;
};

static void show_progress(void *context, const struct capture_session *session)
{
	struct recording *recording = context;
	unsigned int seconds = (unsigned int)(clock_seconds(CLOCK_MONOTONIC) - recording->begin_s);

	message_progress("recording for %u:%02u, %llu events so far", seconds / 60, seconds % 60,
			 (unsigned long long)capture_events_so_far(session));
}

/* --- The file --- */

static enum status name_file(struct trace_file *file, unsigned int number, struct error *err)
{
	const struct recording *recording = file->context;
	struct recording_output *output = &recording->request->output;
	const char *json = recording->request->json;
	char suffix[32] = "";
	enum status status = recording_output_open(output, err);

	if (status != STATUS_OK)
		return status;
	if (number)
		snprintf(suffix, sizeof(suffix), ".%u", number);
	if (snprintf(file->path, sizeof(file->path), "%s%s.dat", output->stem, suffix) >= PATH_MAX ||
	    snprintf(file->json, sizeof(file->json), "%s%s.json", output->stem, suffix) >= PATH_MAX)
		return error_set(err, STATUS_USAGE, output->stem, "path is too long");
	if (json && number == 0)
		snprintf(file->json, sizeof(file->json), "%s", json);
	else if (output->to_fd >= 0)
		file->json[0] = '\0';
	const char *slash = strrchr(file->path, '/');
	const char *name = slash ? slash + 1 : file->path;
	snprintf(file->trace_id, sizeof(file->trace_id), "%.*s", (int)strlen(name) - 4, name);
	if (output->to_fd >= 0) {
		snprintf(file->trace_id, sizeof(file->trace_id), "%s", recording->request->name);
		snprintf(file->shown, sizeof(file->shown), "standard output");
	}
	return STATUS_OK;
}

static enum status replace_file(struct trace_file *file, struct error *err)
{
	const struct recording *recording = file->context;

	return recording->request->output.to_fd < 0 ? recording_output_keep_old(file->path, file->json, err)
						    : STATUS_OK;
}

static const char *end_name(const struct recording *recording, enum window_end end)
{
	switch (end) {
	case WINDOW_SIGNAL:
		return "signal";
	case WINDOW_DURATION:
		return "duration";
	case WINDOW_SINK:
		return "condition";
	case WINDOW_SUBJECT:
		return recording->request->command ? "command" : "processes";
	default:
		return "failure";
	}
}

static void describe_recording(const struct trace_file *file, const struct trace_window *window,
			       struct run_metadata *metadata)
{
	struct recording *recording = file->context;
	const struct recording_request *request = recording->request;
	const struct command_subject *command = &recording->command;

	metadata->workload_name = request->name;
	metadata->category = request->category;
	metadata->description = recording->description.data;
	metadata->command.arguments = request->command;
	if (request->recipe)
		metadata->recipe = *request->recipe;
	const struct until_moment *moment = request->until ? &request->until->moment : NULL;
	if (request->command) {
		command_subject_hash(request->command[0], metadata->command.program_sha256);
		metadata->command.pid = has_kernel_pids() ? command->held.pid : 0;
		metadata->command.has_exit_code = command->has_ended;
		metadata->command.exit_code = command->has_ended ? command_subject_exit_code(command) : 0;
	}
	host_tasks_read(&recording->after);
	metadata->has_recording = true;
	metadata->recording = (struct run_recording){
	    .threads = request->processes->threads,
	    .thread_count = request->processes->thread_count,
	    .ended_by = end_name(recording, window->end),
	    .event_names = recording->events,
	    .event_count = recording->event_count,
	    .flight_s = request->flight_s,
	    .complete_ns = file->flight.start_ns,
	    .marks = file->survey.marks,
	    .cgroups_before = recording->before.cgroups.items,
	    .cgroup_count_before = recording->before.cgroups.count,
	    .cgroups_after = recording->after.cgroups.items,
	    .cgroup_count_after = recording->after.cgroups.count,
	    .processes_before = recording->before.processes.items,
	    .process_count_before = recording->before.processes.count,
	    .processes_after = recording->after.processes.items,
	    .process_count_after = recording->after.processes.count,
	};
	if (moment && moment->condition) {
		struct run_moment *written = &metadata->recording.moment;
		*written = (struct run_moment){.condition = moment->condition->condition.text,
					       .pid = moment->pid,
					       .cpu = moment->cpu,
					       .after = until_cause(moment),
					       .goes_on = moment->goes_on,
					       .since_ns = moment->since_ns,
					       .end_ns = moment->end_ns};
		snprintf(written->task, sizeof(written->task), "%.*s", (int)moment->comm.length, moment->comm.bytes);
	}
}

static uint64_t first_ns(const struct trace_survey *survey)
{
	uint64_t first = UINT64_MAX;

	for (size_t i = 0; i < survey->cpu_count; i++)
		if (survey->cpus[i].events && survey->cpus[i].first_ts < first)
			first = survey->cpus[i].first_ts;
	return first;
}

/* The wait, and the command that shows it. */
static void report_moment(const struct recording *recording, const struct trace_file *file)
{
	const struct until *until = recording->request->until;
	const struct until_moment *moment = &until->moment;
	const uint64_t start_ns = first_ns(&file->survey);
	const double since_s = ((double)moment->since_ns - (double)start_ns) / 1e9;
	const double waited_s = (double)(moment->end_ns - moment->since_ns) / 1e9;

	if (!moment->condition)
		return;
	message_info("'%s': %.*s-%d waited %s%.3f ms for CPU %u (%s) from %.6f s on", moment->condition->condition.text,
		     (int)moment->comm.length, moment->comm.bytes, (int)moment->pid,
		     moment->goes_on ? "more than " : "", waited_s * 1e3, moment->cpu, until_cause(moment), since_s);
	if (recording->request->output.to_fd >= 0)
		return;
	if (file->survey.key_switches)
		message_info("show it: picknext why --at %.6f --pid %d %s", since_s, (int)moment->pid, file->path);
	else
		message_info("show it: picknext latency --worst 5 --pid %d %s; picknext timeline --cpu %u --from %.6f "
			     "--to %.6f %s",
			     (int)moment->pid, file->path, moment->cpu, since_s > 0 ? since_s : 0, since_s + waited_s,
			     file->path);
}

static void report_saved(const struct trace_file *file, const struct trace_window *window)
{
	const struct trace_survey *survey = &file->survey;
	const struct flight *flight = &file->flight;
	const struct recording *recording = file->context;
	char marks[48] = "";
	double kept_s = window->stopped_s - window->started_s;

	if (file->flight_s > 0 && flight->end_ns)
		kept_s = (double)(flight->end_ns - flight->start_ns) / 1e9;
	if (survey->marks)
		snprintf(marks, sizeof(marks), ", %llu mark%s", (unsigned long long)survey->marks,
			 survey->marks == 1 ? "" : "s");
	message_info("%s: %llu events, %llu switches%s in %.2f s%s", file->shown[0] ? file->shown : file->path,
		     (unsigned long long)survey->events, (unsigned long long)survey->switches, marks, kept_s,
		     losses_any(&file->losses) ? ", events lost" : ", none lost");
	if (recording->request->until)
		report_moment(recording, file);
	for (size_t i = 0; i < survey->cpu_count; i++)
		message_detail("CPU %u: %llu events", survey->cpus[i].cpu, (unsigned long long)survey->cpus[i].events);
}

/* --- The recording --- */

static void list_events(struct recording *recording, const struct capture_session *session)
{
	const struct capture_event *events = session->settings.events;
	const size_t count = session->settings.event_count;

	recording->events = xcalloc(count + 1, sizeof(*recording->events));
	for (size_t i = 0; i < count; i++) {
		buffer_printf(&recording->event_names, "%s:%s", events[i].system, events[i].name);
		buffer_add(&recording->event_names, "", 1);
	}
	const char *name = recording->event_names.data;
	for (; recording->event_count < count; name += strlen(name) + 1)
		recording->events[recording->event_count++] = name;
}

static void begin_recording(void *context)
{
	struct recording *recording = context;

	recording->begin_s = clock_seconds(CLOCK_MONOTONIC);
	list_events(recording, recording->file.session);
	read_back_check_clock(recording->request->capture.clock);
	host_tasks_read(&recording->before);
}

static void describe_subject(struct recording *recording)
{
	char *const *argument = recording->request->command;

	if (!argument)
		buffer_text(&recording->description,
			    recording->request->processes->count ? "processes" : "the whole machine");
	for (; argument && *argument; argument++)
		buffer_printf(&recording->description, "%s%s", recording->description.length ? " " : "", *argument);
}

static enum status record_subject(struct recording *recording, struct trace_window *window, struct error *err)
{
	struct recording_request *request = recording->request;
	const struct recorder_settings settings = {
	    .cpus = &recording->cpus,
	    .capture = &request->capture,
	    .subject = request->command            ? &recording->command.subject
		       : request->processes->count ? &request->processes->subject
						   : NULL,
	    .sink = &recording->file.sink,
	    .duration_s = request->duration_s,
	    .prepared = begin_recording,
	    .progress = message_progress_wanted() ? show_progress : NULL,
	    .context = recording,
	};
	enum status status = recorder_run(&settings, window, err);

	message_progress_end();
	return status;
}

/* Waits for a command that outlives its recording, with default signal actions. */
static void wait_for_command(struct recording *recording, struct recording_outcome *outcome)
{
	struct command_subject *command = &recording->command;

	if (command->has_started && !interrupt_signal())
		command_subject_wait(command);
	if (command->has_started && !command->has_ended)
		message_warning("process %ld, the command, is still running", (long)command->held.pid);
	if (command->has_started && command->has_ended)
		outcome->command_code = command_subject_exit_code(command);
	command_subject_close(command);
}

enum status recording_run(struct recording_request *request, struct recording_outcome *outcome, struct error *err)
{
	static const struct trace_file_actions actions = {
	    .name = name_file, .replace = replace_file, .describe = describe_recording, .saved = report_saved};
	struct recording recording = {
	    .request = request,
	    .file = {.actions = &actions,
		     .cpus = &recording.cpus,
		     .clock = request->capture.clock,
		     .drain_ms = request->drain_ms,
		     .flight_s = request->flight_s,
		     .until = request->until,
		     .sink = {.hears_usr1 = true, .has_stretches = request->flight_s > 0 && request->output.to_fd < 0}},
	};
	struct trace_window window = {.end = WINDOW_FAILED};

	*outcome = (struct recording_outcome){.command_code = -1};
	recording.file.context = &recording;
	snprintf(recording.file.directory, sizeof(recording.file.directory), "%s", request->output.directory);
	trace_file_begin(&recording.file);
	command_subject_make(&recording.command, request->command);
	describe_subject(&recording);
	enum status status = keys_choose(request->keys, 0, &recording.keys, &request->capture.keys, err);
	request->capture.key_levels = recording.keys.levels;
	if (status == STATUS_OK)
		status = tracer_begin(&recording.cpus, err);
	if (status == STATUS_OK) {
		status = record_subject(&recording, &window, err);
		tracer_end(&recording.cpus);
	}
	wait_for_command(&recording, outcome);
	outcome->by_signal = window.end == WINDOW_SIGNAL;
	outcome->is_unmet = request->until && !request->until->moment.condition;
	trace_file_free(&recording.file);
	keys_free(&recording.keys);
	buffer_free(&recording.description);
	buffer_free(&recording.event_names);
	free(recording.events);
	host_tasks_free(&recording.before);
	host_tasks_free(&recording.after);
	if (status == STATUS_OK)
		return recording_output_copy(&request->output, err);
	recording_output_remove(&request->output);
	return status;
}
