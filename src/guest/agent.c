/* SPDX-License-Identifier: MIT */
#include "guest/agent.h"

#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/interrupt.h"
#include "base/message.h"
#include "guest/job_request.h"
#include "guest/machine.h"
#include "guest/port.h"
#include "guest/shared_memory.h"
#include "guest/transfer_send.h"
#include "record/collection.h"
#include "vm/protocol/guest_progress.h"

#define TRACES             "/run/traces"
#define CAUGHT             TRACES "/output"
#define PROBLEMS           "/run/problems" /* written by /init */
#define PROBLEMS_BYTES_MAX (1u << 20)

/* The output of a command, in a file per run. */
struct guest_output {
	bool caught;
	int saved[2]; /* standard output and error, the original descriptors */
};

struct guest {
	struct job_read read;
	struct job_values values;
	struct guest_port port;
	struct shared_memory memory; /* of that transport */
	struct transfer_sender sender;
	struct guest_output output; /* of the command */
	char ejection[1024];        /* the first run whose scheduler was ejected, and why; or "" */
	char failure[256];          /* the first run in which the command failed, or "" */
};

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

/* Messages go to the host. */
static void send_message(void *context, enum message_kind kind, const char *text)
{
	if (kind != MESSAGE_PROGRESS)
		guest_port_text(&((struct guest *)context)->port,
				kind == MESSAGE_WARNING ? GUEST_LINE_PROBLEM : GUEST_LINE_NOTE, text);
}

/* Redirects standard output and error to a new file. */
static enum status catch_output(struct guest_output *output, struct error *err)
{
	int file = open(CAUGHT, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0644);
	if (file < 0)
		return error_system(err, errno, CAUGHT, "cannot create");

	for (int i = 0; i < 2; i++) {
		output->saved[i] = fcntl(i + 1, F_DUPFD_CLOEXEC, 3);
		dup2(file, i + 1);
	}
	close(file);
	output->caught = true;
	return STATUS_OK;
}

/* Restores both. path is the file with the output, NAME.log; "" if nothing was redirected. */
static enum status release_output(struct guest_output *output, const char *name, char *path, struct error *err)
{
	path[0] = '\0';
	if (!output->caught)
		return STATUS_OK;
	for (int i = 0; i < 2; i++) {
		dup2(output->saved[i], i + 1);
		close(output->saved[i]);
	}
	output->caught = false;
	snprintf(path, PATH_MAX, TRACES "/%.1000s.log", name);
	return rename(CAUGHT, path) == 0 ? STATUS_OK : error_system(err, errno, path, "cannot make");
}

static enum status send_file(struct guest *guest, const char *path, struct error *err)
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

/* Sends the command's output of this run, and starts to catch the next run's. */
static enum status send_output(struct guest *guest, const char *trace_id, struct error *err)
{
	char path[PATH_MAX];
	bool caught = guest->output.caught;
	enum status status = release_output(&guest->output, trace_id, path, err);

	if (!caught || status != STATUS_OK)
		return status;
	status = send_file(guest, path, err);
	return status == STATUS_OK ? catch_output(&guest->output, err) : status;
}

static enum status on_run(void *context, const struct collection_run *run, struct error *err)
{
	struct guest *guest = context;
	enum status status = send_output(guest, run->id, err);
	char text[256];

	if (run->work->command_code && !guest->failure[0])
		snprintf(guest->failure, sizeof(guest->failure), "%s: the command ended with exit code %llu", run->id,
			 (unsigned long long)run->work->command_code);
	if (!run->dat_path) {
		snprintf(text, sizeof(text), "%s: not traced, %.3f s", run->id, run->work->elapsed_s);
		guest_port_text(&guest->port, GUEST_LINE_NOTE, text);
		return status;
	}
	if (status == STATUS_OK)
		status = send_file(guest, run->dat_path, err);
	return status == STATUS_OK ? send_file(guest, run->json_path, err) : status;
}

static bool kernel_has_shares(void)
{
	struct buffer text = {0};
	bool has = file_read("/proc/filesystems", 65536, &text, NULL) == STATUS_OK &&
		   (strstr(text.data, "\t9p\n") || strstr(text.data, "\tvirtiofs\n"));

	buffer_free(&text);
	return has;
}

static enum status refuse_share(const char *share, struct error *err)
{
	error_set(err, STATUS_SYSTEM, share, "no shared directory is mounted at this path");
	if (kernel_has_shares())
		return error_remedy(err, "the guest has unmounted it, or could not mount it: see its console");
	return error_remedy(err, "this kernel has neither 9p nor virtiofs");
}

static enum status open_sender(struct guest *guest, struct error *err)
{
	const struct job *job = &guest->read.job;

	if (job->transport == JOB_TRANSPORT_SHARED_MEMORY) {
		transfer_sender_use_memory(&guest->sender, &guest->memory);
		return STATUS_OK;
	}
	if (!guest_is_mount_point(job->share))
		return refuse_share(job->share, err);
	return transfer_sender_open_share(&guest->sender, job->share, err);
}

/* A file in memory replaces the device, which makes a different workload. */
static void warn_without_device(const struct collection_request *request)
{
	for (size_t i = 0; i < request->workload_count; i++)
		if (request->workloads[i]->needs_scratch)
			message_warning(
			    "no block device: %s writes to memory and never waits for I/O; build the kernel with "
			    "CONFIG_BLK_DEV_NULL_BLK=y",
			    request->workloads[i]->name);
}

static bool runs_command(const struct collection_request *request)
{
	for (size_t i = 0; i < request->workload_count; i++)
		if (request->workloads[i]->command)
			return true;
	return false;
}

/* Sends the scheduler's output, even if it was never enabled. */
static enum status send_scheduler_log(struct guest *guest, const struct collection_request *request, struct error *err)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/scheduler_run%u.log", TRACES, request->first_run);
	return access(path, F_OK) == 0 ? send_file(guest, path, err) : STATUS_OK;
}

/* Sends the traces that a failed recording has kept. */
static void send_partial(struct guest *guest)
{
	glob_t found;

	if (glob(TRACES "/*.partial", 0, NULL, &found) != 0)
		return;
	for (size_t i = 0; i < found.gl_pathc; i++)
		send_file(guest, found.gl_pathv[i], NULL);
	globfree(&found);
}

static enum status run_collection(struct guest *guest, const struct collection_request *request, struct error *err)
{
	struct collection_summary summary;
	struct error sending = {0};
	enum status status = collection_run(request, &summary, err);
	enum status sent = send_scheduler_log(guest, request, &sending);
	if (status != STATUS_OK)
		send_partial(guest);

	snprintf(guest->ejection, sizeof(guest->ejection), "%s", summary.ejection);
	if (status == STATUS_OK && sent != STATUS_OK)
		*err = sending;
	return status == STATUS_OK ? sent : status;
}

static enum status collect(struct guest *guest, struct error *err)
{
	const struct job *job = &guest->read.job;
	struct collection_request *request = &guest->values.options.collection;

	message_divert(send_message, guest);
	enum status status = job_request_parse(job, &guest->values, err);
	request->raw_directory = TRACES;
	request->accelerator = job->accelerator;
	request->identity = job->identity;
	request->first_run = job->first_run;
	request->fixed_work = job->fixed_work;
	request->progress = on_progress;
	request->run_done = on_run;
	request->context = guest;
	if (status == STATUS_OK)
		status = open_sender(guest, err);
	if (status == STATUS_OK)
		status = guest_mount_memory(TRACES, request->capture.buffer_size_kb, err);
	if (status == STATUS_OK && runs_command(request))
		status = catch_output(&guest->output, err);
	if (status == STATUS_OK) {
		request->scratch = guest_scratch_device();
		if (!request->scratch)
			warn_without_device(request);
		status = run_collection(guest, request, err);
	}
	message_divert(NULL, NULL);
	collection_request_free(request);
	return status;
}

/* Reports missing features of the machine before other steps fail because of them. */
static enum status check_machine(struct guest *guest, struct error *err)
{
	char clocksource[64];

	guest_clock_read(clocksource, sizeof(clocksource));
	if (!guest_clock_is_exact(clocksource)) {
		char text[256];
		snprintf(text, sizeof(text), "the guest's clocksource is %s: the trace clock is coarser and slower",
			 clocksource);
		guest_port_text(&guest->port, GUEST_LINE_PROBLEM, text);
	}
	enum status status = guest_check_topology(guest->read.job.topology, err);
	return status == STATUS_OK ? guest_check_ftrace(err) : status;
}

/* Sends the hello and the problems of /init, which cannot write to shared memory. */
static enum status send_hello(struct guest *guest, struct error *err)
{
	struct guest_line line = {.kind = GUEST_LINE_HELLO};
	struct utsname system;
	struct buffer problems = {0};

	enum status status = shared_memory_open(&guest->memory, err);
	if (status != STATUS_OK)
		return status;
	guest->port.memory = &guest->memory;
	uname(&system);
	snprintf(line.name, sizeof(line.name), "%s", system.release);
	guest_port_send(&guest->port, &line);
	if (file_read(PROBLEMS, PROBLEMS_BYTES_MAX, &problems, NULL) == STATUS_OK)
		for (char *text = strtok(problems.data, "\n"); text; text = strtok(NULL, "\n"))
			guest_port_text(&guest->port, GUEST_LINE_PROBLEM, text + strlen("problem "));
	buffer_free(&problems);
	return STATUS_OK;
}

static enum status do_job(struct guest *guest, struct error *err)
{
	enum status status = job_read(JOB_DIRECTORY, &guest->read, err);

	if (status == STATUS_SYSTEM && err->errnum == ENOENT)
		return error_remedy(err, "this command runs inside virtual machines of picknext vm");
	if (status == STATUS_OK && guest->read.job.transport == JOB_TRANSPORT_SHARED_MEMORY)
		status = send_hello(guest, err);
	if (status == STATUS_OK && access(JOB_DIRECTORY "/" JOB_COMPLETE, F_OK) < 0) {
		error_set(err, STATUS_SYSTEM, NULL, "the guest's memory is too small for the added files");
		return error_remedy(err, "give it more with --guest memory=MB, or add fewer files");
	}
	if (status == STATUS_OK)
		status = check_machine(guest, err);
	return status == STATUS_OK ? collect(guest, err) : status;
}

/* A full disk (of the host) or memory (of the guest) has its own exit code. */
static int refine_exit_code(const struct guest *guest, struct error *err)
{
	char full[sizeof(err->where)];

	if (err->status != STATUS_SYSTEM || (err->errnum != ENOSPC && err->errnum != EDQUOT))
		return error_exit_code(err);
	snprintf(full, sizeof(full), "%s", err->where);
	if (strncmp(full, TRACES, strlen(TRACES)) == 0) {
		error_set(err, STATUS_SYSTEM, full, "the guest's memory is full");
		error_remedy(err, "give the guest more memory with --guest memory=MB, or lower --scale");
	} else {
		error_set(err, STATUS_SYSTEM, guest->read.job.share, "the shared directory is full");
		error_remedy(err, "free space on the host's disk, or choose another with -o");
	}
	return JOB_EXIT_FULL;
}

static int end_job(struct guest *guest, enum status status, struct error *err)
{
	struct guest_line line = {.kind = GUEST_LINE_DONE};
	char text[GUEST_LINE_MAX];
	char path[PATH_MAX];

	release_output(&guest->output, "output", path, NULL);
	if (status == STATUS_OK && guest->failure[0]) {
		line.exit_status = JOB_EXIT_COMMAND;
		guest_port_text(&guest->port, GUEST_LINE_PROBLEM, guest->failure);
	}
	if (status == STATUS_OK && guest->ejection[0]) {
		line.exit_status = JOB_EXIT_EJECTED;
		guest_port_text(&guest->port, GUEST_LINE_PROBLEM, guest->ejection);
	}
	if (status != STATUS_OK) {
		line.exit_status = refine_exit_code(guest, err);
		error_text(err, text, sizeof(text));
		guest_port_text(&guest->port, GUEST_LINE_PROBLEM, text);
		message_error(err);
	}
	transfer_sender_close(&guest->sender);
	guest_port_send(&guest->port,
			&(struct guest_line){.kind = GUEST_LINE_CLOCK, .size = clock_ns(CLOCK_MONOTONIC)});
	guest_port_send(&guest->port, &line);
	guest_port_close(&guest->port);
	shared_memory_close(&guest->memory);
	job_read_free(&guest->read);
	return line.exit_status;
}

int guest_run_job(void)
{
	struct guest guest = {.port = {.fd = -1}, .memory = {.device = -1}, .sender = {.directory = -1}};
	struct error err = {0};

	interrupt_catch();
	guest_port_open(&guest.port);
	enum status status = do_job(&guest, &err);
	return end_job(&guest, status, &err);
}
