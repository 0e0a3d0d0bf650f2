/* SPDX-License-Identifier: MIT */
#include "vm/launch/launch_boot.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/interrupt.h"
#include "base/message.h"
#include "vm/launch/boot_report.h"
#include "vm/launch/launch_directories.h"
#include "vm/launch/launch_outcome.h"
#include "vm/launch/launch_progress.h"
#include "vm/launch/launch_state.h"
#include "vm/launch/share.h"
#include "vm/launch/shared_memory_receive.h"
#include "vm/protocol/transfer.h"

#define OUTPUT_BYTES_MAX (16u << 20)

void launch_set_run(struct launch *launch, uint32_t run)
{
	const bool deterministic = launch->options->deterministic;

	launch->run = run;
	launch->boot.job.first_run = run;
	launch->boot.machine.seed = deterministic ? run : 0;
	snprintf(launch->name, sizeof(launch->name), "%s, %s %u", launch->result.set, deterministic ? "seed" : "run",
		 run);
}

static enum status boot_guest(struct launch *launch, struct error *err)
{
	const struct launch_options *options = launch->options;
	struct supervision *on = &launch->on;
	enum status status = STATUS_OK;

	*on = (struct supervision){.console = &launch->console,
				   .engine_log = &launch->engine_log,
				   .line = launch_show_line,
				   .context = launch,
				   .boot_timeout_s = launch_patience_s(options, options->guest.boot_timeout_s),
				   .silence_timeout_s = launch_patience_s(options, options->guest.silence_timeout_s),
				   .total_timeout_s = (unsigned int)options->guest.timeout_s,
				   .until_done = options->deterministic,
				   .shell = options->shell,
				   .job_exit = -1};
	if (!options->deterministic)
		on->host_wait = &launch->host_wait;
	if (launch->boot.shared_memory)
		status = shared_memory_create(launch->shared_memory, MACHINE_SHARED_MEMORY_BYTES, err);
	if (status == STATUS_OK)
		status = boot_place_kernel(&launch->boot, err);
	if (status == STATUS_OK)
		status = boot_prepare(&launch->boot, err);
	if (status == STATUS_OK) {
		if (!options->shell)
			message_progress("booting");
		snprintf(launch->host_wait.pid_file, sizeof(launch->host_wait.pid_file), "%s/" MACHINE_PID_FILE,
			 launch->boot.directory.path);
		status = boot_run(&launch->boot, on, err);
	}
	message_progress_end();
	return status;
}

static void add_report(struct transfer_report *sum, const struct transfer_report *report)
{
	sum->whole += report->whole;
	sum->traces += report->traces;
	sum->incomplete += report->incomplete;
	sum->refused += report->refused;
	sum->bytes += report->bytes;
	if (!sum->problem[0])
		memcpy(sum->problem, report->problem, sizeof(sum->problem));
}

/* Called for every end of a guest. */
static enum status receive_traces(struct launch *launch, struct error *err)
{
	struct transfer_report report = {0};
	enum status status =
	    launch->boot.shared_memory
		? shared_memory_receive(launch->shared_memory, launch->arrived, &TRANSFER_LIMITS, &report, err)
		: transfer_receive_share(launch->share, launch->arrived, &TRANSFER_LIMITS, &report, err);

	add_report(&launch->report, &report);
	enum status moved = transfer_place_move(launch->arrived, launch->raw, status == STATUS_OK ? err : NULL);
	return status == STATUS_OK ? moved : status;
}

static void keep_release(struct launch *launch)
{
	const char *reported = launch->on.release;

	if (!reported[0] || strcmp(reported, launch->result.release) == 0)
		return;
	message_warning("%s: the image contains release %s, the guest reports %s", launch->name, launch->result.release,
			reported);
	snprintf(launch->result.release, sizeof(launch->result.release), "%s", reported);
}

/* The problem starts with the name of the run whose command failed. */
static void find_output(struct launch *launch)
{
	const char *problem = launch->on.problem;
	char name[TRANSFER_NAME_MAX + 8];
	char *path = launch->output;

	if (launch->on.job_exit != JOB_EXIT_COMMAND)
		return;
	snprintf(name, sizeof(name), "%.*s.log", (int)strcspn(problem, ":"), problem);
	if (!transfer_name_is_safe(name, strlen(name)) ||
	    file_join(path, sizeof(launch->output), launch->raw, name, NULL) != STATUS_OK || access(path, R_OK) != 0)
		path[0] = '\0';
}

static void show_output(struct launch *launch)
{
	struct console log = {.file = -1};
	struct buffer text = {0};

	if (file_read(launch->output, OUTPUT_BYTES_MAX, &text, NULL) == STATUS_OK)
		console_add(&log, text.data, text.length);
	console_last_lines(&log, 12, launch->console_tail, sizeof(launch->console_tail));
	buffer_free(&text);
}

/* A QEMU that cannot load the library (static, or with another C library) runs without it, and is not always
 * deterministic. */
static enum status check_lockstep(const struct launch *launch, struct error *err)
{
	const struct console *log = &launch->engine_log;

	if (memmem(log->tail, log->tail_length, "picknext: in step", 17))
		return STATUS_OK;
	error_set(err, STATUS_UNSUPPORTED, launch->engine.qemu, "did not load %s, without which runs may differ",
		  launch->lockstep);
	return error_remedy(
	    err, "give a QEMU of the host's distribution with --guest qemu=PROGRAM; picknext fetch qemu gets one");
}

static enum status end_boot(struct launch *launch, struct error *err)
{
	struct error receiving, outcome;
	enum status received = receive_traces(launch, &receiving);
	find_output(launch);
	enum status status = launch_outcome(launch, &outcome);

	keep_release(launch);
	if (status != STATUS_GUEST || !strstr(outcome.what, launch->problem))
		launch_show_problem(launch);
	if (status == STATUS_OK && received != STATUS_OK) {
		outcome = receiving;
		status = received;
	}
	if (status == STATUS_GUEST && launch->output[0])
		show_output(launch);
	else if (status == STATUS_GUEST)
		console_last_lines(&launch->console, 12, launch->console_tail, sizeof(launch->console_tail));
	if (launch->console.write_errnum && status == STATUS_OK)
		status = error_system(&outcome, launch->console.write_errnum, launch->console.path, "cannot write");
	if (status == STATUS_OK && launch->options->deterministic)
		status = check_lockstep(launch, &outcome);
	if (status != STATUS_OK)
		*err = outcome;
	return status;
}

/* On a busy host, a guest may die while it boots. The host cannot make a deterministic guest die, so its death is a
 * result. */
static bool may_start_again(const struct launch *launch, enum status status)
{
	const struct supervision *on = &launch->on;
	const struct launch_options *options = launch->options;
	const struct console *console = &launch->console;
	/* Without a word on the console, it is the engine that failed to start it. To power off is no death. */
	bool left = on->end == GUEST_LEFT_EARLY && on->job_exit < 0 && console->tail_length > 0 &&
		    !memmem(console->tail, console->tail_length, "reboot: Power down", 18);
	bool died = on->end == GUEST_PANICKED || left;

	return status == STATUS_GUEST && died && !on->last_sign[0] && !launch->died_before[0] &&
	       !options->deterministic && !options->shell;
}

static void start_again(struct launch *launch, const struct error *death)
{
	error_text(death, launch->died_before, sizeof(launch->died_before));
	message_warning("%s; starting it once more", launch->died_before);
	launch->elapsed_s += launch->on.elapsed_s;
	launch->console_tail[0] = launch->output[0] = '\0';
	boot_end(&launch->boot);
	console_begin_again(&launch->console);
	console_begin_again(&launch->engine_log);
}

static enum status boot_to_end(struct launch *launch, struct error *err)
{
	enum status status = STATUS_OK;

	for (;;) {
		status = boot_guest(launch, err);
		if (status != STATUS_OK)
			return status;
		launch->has_ended = true;
		status = end_boot(launch, err);
		if (!may_start_again(launch, status))
			return status;
		start_again(launch, err);
		launch->has_ended = false;
	}
}

static const char *end_name(const struct launch *launch)
{
	static const char *const names[] = {
	    [GUEST_DONE] = "done",        [GUEST_PANICKED] = "panicked",       [GUEST_NOT_BOOTED] = "not booted",
	    [GUEST_SILENT] = "silent",    [GUEST_OVERTIME] = "overtime",       [GUEST_LEFT_EARLY] = "left early",
	    [GUEST_LEFT_SHELL] = "shell", [GUEST_INTERRUPTED] = "interrupted", [GUEST_HOST_FAILED] = "host failed",
	};

	if (launch->has_ended)
		return names[launch->on.end];
	return names[interrupt_signal() ? GUEST_INTERRUPTED : GUEST_HOST_FAILED];
}

static void fill_record(const struct launch *launch, struct boot_report *report)
{
	struct boot_record *record = &report->record;
	const struct supervision *on = &launch->on;
	struct error error = report->error;

	if (strcmp(error.where, launch->name) == 0)
		error.where[0] = '\0'; /* the record is of this run */
	record->run = launch->run;
	snprintf(record->end, sizeof(record->end), "%s", end_name(launch));
	if (report->status != STATUS_OK)
		error_text(&error, record->error, sizeof(record->error));
	snprintf(record->died_before, sizeof(record->died_before), "%s", launch->died_before);
	snprintf(record->fault, sizeof(record->fault), "%s", launch->console.fault);
	record->job_exit = on->job_exit;
	record->traces = launch->report.traces;
	record->incomplete_files = launch->report.incomplete;
	record->refused_files = launch->report.refused;
	record->bytes = launch->report.bytes;
	record->boot_s = on->said_hello ? on->boot_s : NAN;
	record->total_s = launch->elapsed_s + on->elapsed_s;
	record->virtual_s = (double)on->virtual_ns / 1e9;
	record->vcpu_time_known = launch->host_wait.is_known;
	record->vcpu_time = launch->host_wait.time;
	snprintf(report->release, sizeof(report->release), "%s", launch->result.release);
	snprintf(report->console_tail, sizeof(report->console_tail), "%s", launch->console_tail);
	snprintf(report->output, sizeof(report->output), "%s", launch->output);
}

void launch_boot(struct launch *launch, uint32_t run, struct boot_report *report)
{
	struct error err = {0};

	*report = (struct boot_report){0};
	launch_set_run(launch, run);
	launch->on.job_exit = -1;
	utc_text_now(report->record.started_at);
	enum status status = launch_make_staging(launch, &err);
	if (status == STATUS_OK)
		status = launch_open_logs(launch, &err);
	if (status == STATUS_OK)
		status = boot_to_end(launch, &err);
	report->status = status;
	report->error = err;
	fill_record(launch, report);
	boot_end(&launch->boot);
	console_close(&launch->console);
	console_close(&launch->engine_log);
	launch_end_staging(launch);
}
