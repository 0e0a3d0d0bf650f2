/* SPDX-License-Identifier: MIT
 *
 * The job inside the virtual machine: what /job says is collected into the guest's memory, and each finished trace is
 * delivered and removed before the next one begins. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"
#include "base/interrupt.h"
#include "base/json.h"
#include "base/message.h"
#include "cmd/collection_options.h"
#include "cmd/commands.h"
#include "guest/machine.h"
#include "guest/output.h"
#include "guest/port.h"
#include "guest/transfer_send.h"
#include "record/collection.h"
#include "vm/protocol/guest_progress.h"
#include "vm/protocol/job.h"

#define TRACES        "/run/traces"
#define PROBLEMS      "/run/problems" /* of /init */
#define METADATA_MOST (1u << 20)

struct guest {
	struct job_read given;
	struct guest_port port;
	struct transfer_sender sender;
	struct guest_output output; /* of the command */
	char failure[256];          /* the first run in which it failed, or "" */
	char *argv[JOB_ARGUMENTS_MAX + 2];
};

struct job_options {
	struct collection_options collection;
};

static const struct option job_rows[] = {
    COLLECTION_OPTION_ROWS(struct job_options, collection),
    COLLECTION_SCRATCH_ROW(struct job_options, collection),
    {0},
};

/* Parses /job/arguments as `picknext collect` parses its own. */
static const struct command job_command = {
    .name = "/job/arguments", .operands = "", .most_operands = SIZE_MAX, .options = job_rows};

static void on_progress(void *context, const struct collection_progress *progress)
{
	struct guest *guest = context;
	struct guest_line line = {
	    .kind = GUEST_LINE_PROGRESS,
	    .done = progress->done,
	    .of = progress->of,
	    .run = progress->run,
	    .events = progress->events_so_far,
	    .seconds_left = progress->seconds_left_estimate,
	};

	snprintf(line.name, sizeof(line.name), "%s", progress->workload);
	guest_port_offer(&guest->port, &line);
}

static void tell_run(struct guest *guest, enum guest_line_kind kind, const char *trace_id)
{
	struct guest_line line = {.kind = kind};

	snprintf(line.name, sizeof(line.name), "%s", trace_id);
	guest_port_send(&guest->port, &line);
}

static void on_run_begins(void *context, const char *trace_id)
{
	tell_run(context, GUEST_LINE_BEGIN, trace_id);
}

static void on_run_ended(void *context, const char *trace_id)
{
	tell_run(context, GUEST_LINE_END, trace_id);
}

static void on_warning(void *context, const char *text)
{
	guest_port_text(&((struct guest *)context)->port, GUEST_LINE_PROBLEM, text);
}

static void on_information(void *context, const char *text)
{
	guest_port_text(&((struct guest *)context)->port, GUEST_LINE_NOTE, text);
}

static enum status deliver(struct guest *guest, const char *path, struct error *err)
{
	struct guest_line line = {.kind = GUEST_LINE_SENDING};
	const char *slash = strrchr(path, '/');

	snprintf(line.name, sizeof(line.name), "%s", slash ? slash + 1 : path);
	line.size = guest_file_size(path);
	guest_port_send(&guest->port, &line);
	enum status status = transfer_send(&guest->sender, path, &line.size, &line.checksum, err);
	if (status != STATUS_OK)
		return status;
	line.kind = GUEST_LINE_TRACE;
	guest_port_send(&guest->port, &line);
	if (unlink(path) < 0)
		return error_system(err, errno, path, "cannot remove");
	return STATUS_OK;
}

/* Sends what the command printed in this run, and catches what it prints in the next. */
static enum status deliver_output(struct guest *guest, const char *trace_id, struct error *err)
{
	char path[PATH_MAX];
	bool caught = guest->output.caught;
	enum status status = guest_output_release(&guest->output, trace_id, path, sizeof(path), err);

	if (!caught || status != STATUS_OK)
		return status;
	status = deliver(guest, path, err);
	return status == STATUS_OK ? guest_output_catch(&guest->output, TRACES, err) : status;
}

static void note_failure(struct guest *guest, const char *trace_id, uint64_t exit_code)
{
	if (exit_code && !guest->failure[0])
		snprintf(guest->failure, sizeof(guest->failure), "%s: the command ended with exit code %llu", trace_id,
			 (unsigned long long)exit_code);
}

static enum status on_run(void *context, const struct collection_run *run, struct error *err)
{
	struct guest *guest = context;
	enum status status = deliver_output(guest, run->id, err);
	char text[256];

	note_failure(guest, run->id, (uint64_t)run->work->command_code);
	if (!run->dat_path) {
		snprintf(text, sizeof(text), "%s: not traced, %.3f s", run->id, run->work->elapsed_s);
		guest_port_text(&guest->port, GUEST_LINE_NOTE, text);
		return status;
	}
	if (status == STATUS_OK)
		status = deliver(guest, run->dat_path, err);
	return status == STATUS_OK ? deliver(guest, run->json_path, err) : status;
}

static enum status parse_arguments(struct guest *guest, struct collection_options *options, struct error *err)
{
	const struct job *job = &guest->given.job;
	struct job_options values = {0};
	struct operands operands;
	int argc = 1;

	guest->argv[0] = (char *)(uintptr_t)job_command.name;
	for (; job->arguments[argc - 1]; argc++)
		guest->argv[argc] = (char *)(uintptr_t)job->arguments[argc - 1];
	enum status status = options_parse(&job_command, &values, argc, guest->argv, &operands, err);
	if (status == STATUS_OK)
		status = collection_options_command(&operands, &values.collection, err);
	*options = values.collection;
	return status;
}

static enum status open_delivery(struct guest *guest, struct error *err)
{
	const struct job *job = &guest->given.job;
	char device[PATH_MAX];

	if (job->transport == JOB_TRANSPORT_SHARED_MEMORY)
		return transfer_sender_open_shared_memory(&guest->sender, err);
	if (job->transport == JOB_TRANSPORT_SHARE) {
		if (!guest_is_mount_point(job->share)) {
			error_set(err, STATUS_SYSTEM, job->share, "no shared directory is mounted there");
			return error_remedy(err, "use --transport port: this kernel may know neither 9p nor virtiofs");
		}
		return transfer_sender_open_share(&guest->sender, job->share, err);
	}
	enum status status = guest_port_path(JOB_DATA_PORT, device, sizeof(device), err);
	return status == STATUS_OK ? transfer_sender_open_port(&guest->sender, device, err) : status;
}

/* A file in the guest's memory takes its place: that is another workload. */
static void warn_without_device(const struct collection_request *request)
{
	char text[256];

	for (size_t i = 0; i < request->plan.workload_count; i++) {
		if (!request->plan.workloads[i]->needs_scratch)
			continue;
		snprintf(text, sizeof(text),
			 "there is no block device to write to, so %s writes to memory, and never waits: "
			 "build the kernel with CONFIG_BLK_DEV_NULL_BLK=y",
			 request->plan.workloads[i]->name);
		on_warning(request->notices.context, text);
	}
}

static enum status collect(struct guest *guest, struct error *err)
{
	struct collection_options options;
	struct collection_choice choice;
	struct collection_summary summary;
	/* Where instructions are time, a line costs time, and how busy the host is does not matter. */
	bool host_counts = guest->given.job.transport != JOB_TRANSPORT_SHARED_MEMORY;
	struct collection_request request = {
	    .raw_directory = TRACES,
	    .accelerator = guest->given.job.accelerator,
	    .plan = {.first_run = guest->given.job.first_run, .fixed_work = guest->given.job.fixed_work},
	    .untraced = guest->given.job.untraced,
	    .progress = on_progress,
	    .run_begins = host_counts ? on_run_begins : NULL,
	    .run_ended = host_counts ? on_run_ended : NULL,
	    .run_done = on_run,
	    .notices = {.warning = on_warning, .information = on_information, .context = guest},
	    .context = guest,
	};
	enum status status = parse_arguments(guest, &options, err);

	if (status == STATUS_OK)
		status = collection_options_apply(&options, &choice, &request, err);
	if (status == STATUS_OK)
		status = open_delivery(guest, err);
	if (status == STATUS_OK)
		status = guest_mount_memory(TRACES, options.buffer_size_kb, err);
	if (status == STATUS_OK && options.command)
		status = guest_output_catch(&guest->output, TRACES, err);
	if (status != STATUS_OK)
		return status;
	if (!options.scratch)
		request.scratch.device = guest_scratch_device();
	if (!options.scratch && !request.scratch.device)
		warn_without_device(&request);
	return collection_run(&request, &summary, err);
}

/* What the machine lacks is told before anything is tried. */
static enum status check_machine(struct guest *guest, struct error *err)
{
	char clocksource[64];

	if (!guest_clock_is_tsc(clocksource, sizeof(clocksource))) {
		char text[256];
		snprintf(
		    text, sizeof(text),
		    "the guest's clocksource is %s, not tsc: the trace clock is coarser and slower than it could be",
		    clocksource);
		guest_port_text(&guest->port, GUEST_LINE_PROBLEM, text);
	}
	return guest_check_ftrace(err);
}

/* /init has no way to say hello where there is no virtio-serial port, nor to tell what it found. */
static void say_hello(struct guest *guest)
{
	struct guest_line line = {.kind = GUEST_LINE_HELLO};
	struct utsname system;
	struct buffer problems = {0};

	guest_port_open_debugcon(&guest->port);
	uname(&system);
	snprintf(line.name, sizeof(line.name), "%s", system.release);
	guest_port_send(&guest->port, &line);
	if (file_read(PROBLEMS, METADATA_MOST, &problems, NULL) == STATUS_OK)
		for (char *text = strtok(problems.data, "\n"); text; text = strtok(NULL, "\n"))
			guest_port_text(&guest->port, GUEST_LINE_PROBLEM, text + strcspn(text, " "));
	buffer_free(&problems);
}

static void tell_clock(struct guest *guest)
{
	struct guest_line line = {.kind = GUEST_LINE_CLOCK};
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	line.size = (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
	guest_port_send(&guest->port, &line);
}

static enum status do_job(struct guest *guest, struct error *err)
{
	enum status status = job_read(JOB_DIRECTORY, &guest->given, err);

	if (status == STATUS_SYSTEM && err->errnum == ENOENT)
		return error_remedy(err, "this command runs inside the virtual machine that `picknext vm` starts");
	if (status == STATUS_OK && guest->given.job.transport == JOB_TRANSPORT_SHARED_MEMORY)
		say_hello(guest);
	if (status == STATUS_OK && access(JOB_DIRECTORY "/" JOB_COMPLETE, F_OK) < 0) {
		error_set(err, STATUS_SYSTEM, NULL, "the guest's memory does not hold what was added");
		return error_remedy(err, "give it more with --memory, or add less");
	}
	if (status == STATUS_OK)
		status = check_machine(guest, err);
	return status == STATUS_OK ? collect(guest, err) : status;
}

/* A disk that is full is told apart from everything else: it is the host's, or the guest's memory. */
static int refine(const struct guest *guest, struct error *err)
{
	char full[sizeof(err->where)];

	if (err->status != STATUS_SYSTEM || (err->errnum != ENOSPC && err->errnum != EDQUOT))
		return error_exit_code(err);
	snprintf(full, sizeof(full), "%s", err->where);
	if (strncmp(full, TRACES, strlen(TRACES)) == 0) {
		error_set(err, STATUS_SYSTEM, full, "the guest's memory has no more room for the trace");
		error_remedy(err, "give the guest more --memory, or lower --scale");
	} else {
		error_set(err, STATUS_SYSTEM, guest->given.job.share, "the shared directory is full");
		error_remedy(err, "make room on the host's disk, or give -o on another one");
	}
	return JOB_EXIT_FULL;
}

static int finish(struct guest *guest, enum status status, struct error *err)
{
	struct guest_line line = {.kind = GUEST_LINE_DONE};
	char text[GUEST_LINE_MOST];
	char path[PATH_MAX];

	guest_output_release(&guest->output, "output", path, sizeof(path), NULL);
	if (status == STATUS_OK && guest->failure[0]) {
		line.exit_status = JOB_EXIT_COMMAND;
		guest_port_text(&guest->port, GUEST_LINE_PROBLEM, guest->failure);
	}
	if (status != STATUS_OK) {
		line.exit_status = refine(guest, err);
		error_text(err, text, sizeof(text));
		guest_port_text(&guest->port, GUEST_LINE_PROBLEM, text);
		message_error(err);
	}
	transfer_sender_close(&guest->sender);
	tell_clock(guest);
	guest_port_send(&guest->port, &line);
	guest_port_close(&guest->port);
	job_read_free(&guest->given);
	return line.exit_status;
}

static int run(const struct command *command, int argc, char **argv)
{
	struct guest guest = {.port.fd = -1, .sender = {.directory = -1, .port = -1}};
	struct operands operands;
	struct error err = {0};

	if (options_parse(command, NULL, argc, argv, &operands, &err) != STATUS_OK)
		return message_error(&err);
	if (operands.help) {
		options_help(command);
		return 0;
	}
	interrupt_catch();
	guest_port_open(&guest.port, JOB_PROGRESS_PORT);
	enum status status = do_job(&guest, &err);
	return finish(&guest, status, &err);
}

static const struct option options[] = {{0}};

const struct command command_guest = {
    .name = "guest",
    .summary = "do the job of a virtual machine, inside it",
    .operands = "",
    .details = "Run by /init in the virtual machine that `picknext vm` starts. Reads /job, collects into memory, and\n"
	       "delivers each trace through the shared directory or a virtio-serial port.\n\n"
	       "Exit codes: picknext's own, 28 where the shared directory or the guest's memory is full,\n"
	       "and 29 where the command failed.",
    .examples = "  picknext vm --kernel vmlinuz -o out --shell   # a shell in such a machine, to try it by hand",
    .options = options,
    .run = run,
    .hidden = true,
};
