/* SPDX-License-Identifier: MIT
 *
 * The life of one run: its logs, its guest, what this leaves, and its report. */
#include "vm/launch/guest_run.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/interrupt.h"
#include "base/memory.h"
#include "base/message.h"
#include "vm/launch/guest_end.h"
#include "vm/launch/guest_lines.h"
#include "vm/protocol/transfer.h"

#define OUTPUT_BYTES_MAX (16u << 20)

void guest_run_name(const struct launch *launch, uint32_t number, char *name, size_t size)
{
	snprintf(name, size, "%s, %s %u", launch->result.set, launch->options->deterministic ? "seed" : "run", number);
}

/* --- Its logs --- */

/* The log of a run in DIR/SET: "console/run3.log". */
static enum status log_path(const struct guest_run *run, const char *kind, char *path, struct error *err)
{
	char name[64];

	snprintf(name, sizeof(name), "%s/run%u.log", kind, run->number);
	return file_join(path, PATH_MAX, run->launch->result.directory, name, err);
}

static enum status open_logs(struct guest_run *run, struct error *err)
{
	char path[PATH_MAX];
	enum status status = log_path(run, CONSOLE_LOGS, path, err);

	if (status != STATUS_OK)
		return status;
	console_open(&run->console, path);
	status = log_path(run, ENGINE_LOGS, path, err);
	console_open(&run->engine_log, path);
	return status;
}

/* --- The guest --- */

static enum status boot_guest(struct guest_run *run, struct error *err)
{
	const struct launch_options *options = run->launch->options;
	struct supervision *on = &run->on;

	*on = (struct supervision){.console = &run->console,
				   .engine_log = &run->engine_log,
				   .line = guest_lines_take,
				   .silent = options->shell ? NULL : guest_lines_show_silence,
				   .context = run,
				   .boot_timeout_s = launch_patience_s(options, options->guest.boot_timeout_s),
				   .silence_timeout_s = launch_patience_s(options, options->guest.silence_timeout_s),
				   .total_timeout_s = (unsigned int)options->guest.timeout_s,
				   .until_done = options->deterministic,
				   .shell = options->shell,
				   .job_exit = -1};
	if (!options->deterministic)
		on->host_wait = &run->host_wait;
	enum status status = boot_place_kernel(&run->boot, err);
	if (status == STATUS_OK)
		status = boot_prepare(&run->boot, err);
	if (status == STATUS_OK) {
		snprintf(run->host_wait.pid_file, sizeof(run->host_wait.pid_file), "%s/" MACHINE_PID_FILE,
			 run->boot.directory.path);
		memcpy(on->quiet.pid_file, run->host_wait.pid_file, sizeof(on->quiet.pid_file));
		status = boot_run(&run->boot, on, err);
	}
	return status;
}

/* --- What it left --- */

static void take_rest(struct guest_run *run)
{
	const struct transfer_report transfer = arrival_take_rest(&run->arrival);
	struct run_report *report = run->report;

	report->outcome.traces += transfer.traces;
	report->outcome.incomplete_files += transfer.incomplete;
	report->outcome.refused_files += transfer.refused;
	report->outcome.bytes += transfer.bytes;
	if (!report->problem[0])
		memcpy(report->problem, transfer.problem, sizeof(report->problem));
}

static void keep_release(struct guest_run *run)
{
	const char *reported = run->on.release;

	if (!reported[0] || strcmp(reported, run->report->release) == 0)
		return;
	message_warning("%s: the image contains release %s, the guest reports %s", run->name, run->report->release,
			reported);
	snprintf(run->report->release, sizeof(run->report->release), "%s", reported);
}

/* The problem starts with the name of the run whose command failed. */
static void find_output(struct guest_run *run)
{
	const char *problem = run->on.problem;
	char name[TRANSFER_NAME_MAX + 8];
	char *path = run->report->output;

	if (run->on.job_exit != JOB_EXIT_COMMAND)
		return;
	snprintf(name, sizeof(name), "%.*s.log", (int)strcspn(problem, ":"), problem);
	if (!transfer_name_is_safe(name, strlen(name)) ||
	    file_join(path, sizeof(run->report->output), run->launch->raw, name, NULL) != STATUS_OK ||
	    access(path, R_OK) != 0)
		path[0] = '\0';
}

/* With --verbose: what the command printed. */
static void show_log(const struct guest_run *run)
{
	struct buffer text = {0};
	char path[PATH_MAX];

	if (message_level() != MESSAGE_VERBOSE || !transfer_name_is_safe(run->log, strlen(run->log)) ||
	    file_join(path, sizeof(path), run->launch->raw, run->log, NULL) != STATUS_OK ||
	    file_read(path, OUTPUT_BYTES_MAX, &text, NULL) != STATUS_OK)
		return;
	message_detail("%s: output of the command, %s:", run->name, path);
	for (size_t at = 0; at < text.length;) {
		const char *line = text.data + at;
		const size_t length = strcspn(line, "\n");
		message_detail("  | %.*s", (int)(length < 1000 ? length : 1000), line);
		at += length + 1;
	}
	buffer_free(&text);
}

static void show_output(struct guest_run *run)
{
	struct console log = {.file = -1};
	struct buffer text = {0};

	if (file_read(run->report->output, OUTPUT_BYTES_MAX, &text, NULL) == STATUS_OK)
		console_add(&log, text.data, text.length);
	console_last_lines(&log, 12, run->report->console_tail, sizeof(run->report->console_tail));
	buffer_free(&text);
}

/* The last lines of the console, after the RIP line of an oops if they lack it. */
static void show_console(struct guest_run *run)
{
	char *tail = run->report->console_tail;
	size_t used = 0;

	console_last_lines(&run->console, 12, tail, sizeof(run->report->console_tail));
	if (!run->console.rip[0] || strstr(tail, run->console.rip))
		return;
	used = (size_t)snprintf(tail, sizeof(run->report->console_tail), "  | %s\n", run->console.rip);
	console_last_lines(&run->console, 12, tail + used, sizeof(run->report->console_tail) - used);
}

static enum status end_boot(struct guest_run *run, struct error *err)
{
	struct error outcome;

	take_rest(run);
	find_output(run);
	show_log(run);
	enum status status = guest_end_explain(run, &outcome);

	keep_release(run);
	if (status != STATUS_GUEST || !strstr(outcome.what, run->problem))
		guest_lines_show_problem(run);
	if (status == STATUS_GUEST && run->report->output[0])
		show_output(run);
	else if (status == STATUS_GUEST)
		show_console(run);
	if (status != STATUS_OK)
		*err = outcome;
	return status;
}

/* --- From start to report --- */

/* On a busy host, a guest may die while it boots. A deterministic guest does not depend on the host, so its death is a
 * result. */
static bool may_start_again(const struct guest_run *run, enum status status)
{
	const struct supervision *on = &run->on;
	const struct launch_options *options = run->launch->options;
	const struct console *console = &run->console;
	/* If the console is empty, the engine failed to start the guest. A power-off is not a death. */
	bool left = on->end == GUEST_LEFT_EARLY && on->job_exit < 0 && console->tail_length > 0 &&
		    !memmem(console->tail, console->tail_length, "reboot: Power down", 18);
	bool died = on->end == GUEST_PANICKED || left;

	return status == STATUS_GUEST && died && !on->last_sign[0] && !run->report->outcome.died_before[0] &&
	       !options->deterministic && !options->shell;
}

static void start_again(struct guest_run *run, const struct error *death)
{
	error_text(death, run->report->outcome.died_before, sizeof(run->report->outcome.died_before));
	message_warning("%s; starting it once more", run->report->outcome.died_before);
	run->report->outcome.total_s += run->on.elapsed_s;
	run->report->console_tail[0] = run->report->output[0] = '\0';
	run->arrival.failure = (struct error){0};
	boot_end(&run->boot);
	console_begin_again(&run->console);
	console_begin_again(&run->engine_log);
}

static enum status boot_to_end(struct guest_run *run, struct error *err)
{
	enum status status = STATUS_OK;

	for (;;) {
		status = boot_guest(run, err);
		if (status != STATUS_OK)
			return status;
		run->has_ended = true;
		status = end_boot(run, err);
		if (!may_start_again(run, status))
			return status;
		start_again(run, err);
		run->has_ended = false;
	}
}

static const char *end_name(const struct guest_run *run)
{
	static const char *const names[] = {
	    [GUEST_DONE] = "done",        [GUEST_PANICKED] = "panicked",       [GUEST_NOT_BOOTED] = "not booted",
	    [GUEST_SILENT] = "silent",    [GUEST_OVERTIME] = "overtime",       [GUEST_LEFT_EARLY] = "left early",
	    [GUEST_LEFT_SHELL] = "shell", [GUEST_INTERRUPTED] = "interrupted", [GUEST_HOST_FAILED] = "host failed",
	};

	if (run->has_ended)
		return names[run->on.end];
	return names[interrupt_signal() ? GUEST_INTERRUPTED : GUEST_HOST_FAILED];
}

static void fill_report(const struct guest_run *run)
{
	struct run_report *report = run->report;
	struct run_outcome *outcome = &report->outcome;
	const struct supervision *on = &run->on;
	struct error error = report->error;

	if (strcmp(error.where, run->name) == 0)
		error.where[0] = '\0'; /* the record is of this run */
	snprintf(outcome->end, sizeof(outcome->end), "%s", end_name(run));
	if (report->status != STATUS_OK)
		error_text(&error, outcome->error, sizeof(outcome->error));
	snprintf(outcome->fault, sizeof(outcome->fault), "%s", run->console.fault);
	outcome->job_exit = on->job_exit;
	outcome->boot_s = on->said_hello ? on->boot_s : NAN;
	outcome->total_s += on->elapsed_s;
	outcome->virtual_s = (double)on->virtual_ns / 1e9;
	outcome->vcpu_time_known = run->host_wait.is_known;
	outcome->vcpu_run_ns = run->host_wait.time.run_ns;
	outcome->vcpu_wait_ns = run->host_wait.time.wait_ns;
	if (run->has_ended && on->end == GUEST_PANICKED)
		snprintf(report->death, sizeof(report->death), "%s",
			 run->console.oops[0] ? run->console.oops : run->console.panic);
}

static struct guest_run *begin(const struct launch *launch, uint32_t number, const struct run_listener *listener,
			       struct run_report *report)
{
	struct guest_run *run = xcalloc(1, sizeof(*run));

	run->launch = launch;
	run->number = number;
	guest_run_name(launch, number, run->name, sizeof(run->name));
	run->report = report;
	run->listener = listener;
	*report = (struct run_report){.outcome = {.run = number}};
	utc_text_now(report->outcome.started_at);
	snprintf(report->release, sizeof(report->release), "%s", launch->result.release);
	run->boot = launch->boot;
	boot_set_run(&run->boot, number);
	run->console.file = run->engine_log.file = -1;
	run->on.job_exit = -1;
	return run;
}

void guest_run_make(const struct launch *launch, uint32_t number, const struct run_listener *listener,
		    struct run_report *report)
{
	struct guest_run *run = begin(launch, number, listener, report);

	report->status = arrival_open(&run->arrival, launch, number, &report->error);
	run->boot.staging = run->arrival.staging;
	if (report->status == STATUS_OK)
		report->status = open_logs(run, &report->error);
	if (report->status == STATUS_OK)
		report->status = boot_to_end(run, &report->error);
	fill_report(run);
	boot_end(&run->boot);
	console_close(&run->console);
	console_close(&run->engine_log);
	arrival_close(&run->arrival);
	free(run);
}
