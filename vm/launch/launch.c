/* SPDX-License-Identifier: MIT */
#include "vm/launch/vm.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/message.h"
#include "vm/engine/private_directory.h"
#include "vm/launch/launch_directories.h"
#include "vm/launch/launch_inputs.h"
#include "vm/launch/launch_outcome.h"
#include "vm/launch/launch_progress.h"
#include "vm/launch/launch_record.h"
#include "vm/launch/launch_state.h"
#include "vm/launch/shared_memory.h"
#include "vm/launch/transfer_receive.h"
#include "vm/launch/transfer_share.h"
#include "vm/protocol/transfer.h"

#define OUTPUT_BYTES_MAX (16u << 20)

static void fill_job(struct launch *launch)
{
	launch->boot.machine.accelerator = launch->accelerator.accelerator;
	launch->boot.job = (struct job){
	    .transport = launch->transport,
	    .accelerator = accelerator_name(launch->accelerator.accelerator),
	    .engine = engine_name(launch->engine.kind),
	    .shell = launch->request->shell,
	    .untraced = launch->request->untraced,
	    .fixed_work = launch->request->deterministic,
	    .identity = launch->request->deterministic ? launch->identity.whole : NULL,
	    .arguments = launch->request->collect_arguments,
	};
}

/* The seed of the next boot. */
static void set_seed(struct launch *launch, size_t seed)
{
	const struct vm_request *request = launch->request;

	launch->seed = seed;
	if (!request->deterministic)
		return;
	launch->boot.machine.seed = request->seeds[seed];
	launch->boot.job.first_run = request->seeds[seed];
}

static enum status print_command(struct launch *launch)
{
	struct buffer text = {0};

	if (!launch->accelerator.certain)
		message_info("%s; the command line below is for tcg, without --dry-run KVM is tried first",
			     launch->accelerator.why);
	private_directory_name_only(&launch->boot.directory);
	boot_command(&launch->boot);
	if (launch->boot.environment.count) {
		buffer_text(&text, "env ");
		arguments_quote(&launch->boot.environment, " ", &text);
		buffer_text(&text, " ");
	}
	arguments_quote(&launch->boot.command, " ", &text);
	if (!text.failed)
		puts(text.data);
	buffer_free(&text);
	return STATUS_OK;
}

static void announce(const struct launch *launch)
{
	const struct machine *machine = &launch->boot.machine;
	const char *engine = launch->engine.kind == ENGINE_VNG ? "vng on QEMU" : "QEMU";

	message_info("%s: %s %s, %s (%s), %u workload CPUs and %s for the tracer, %llu MB", launch->result.release,
		     engine, launch->engine.qemu_version, accelerator_name(machine->accelerator),
		     launch->accelerator.why, machine->cpus, machine->no_isolated_cpu ? "none" : "one",
		     (unsigned long long)machine->memory_mb);
	if (launch->transport_why[0])
		message_info("%s: traces leave through a port: %s", launch->result.release, launch->transport_why);
	if (launch->request->shell)
		message_info("%s: starting a shell in the guest; leave it with exit, or with Ctrl+]",
			     launch->result.release);
	if (machine->shell || launch->result.earlier == 0)
		return;
	message_info("%s: %u traces of earlier runs in %s are kept, unless new ones have the same name",
		     launch->result.release, launch->result.earlier, launch->raw);
}

static enum status boot_guest(struct launch *launch, struct error *err)
{
	const struct vm_request *request = launch->request;
	struct supervision *on = &launch->on;
	enum status status = STATUS_OK;

	*on = (struct supervision){.console = &launch->console,
				   .engine_log = &launch->engine_log,
				   .line = launch_show_line,
				   .context = launch,
				   .boot_timeout_s = request->boot_timeout_s,
				   .silence_timeout_s = request->silence_timeout_s,
				   .total_timeout_s = request->total_timeout_s,
				   .until_done = request->deterministic,
				   .shell = request->shell,
				   .job_exit = -1};
	if (!request->deterministic)
		on->host_wait = &launch->host_wait;
	if (launch->transport != JOB_TRANSPORT_SHARE)
		status = transfer_receiver_open(&on->receiver, launch->raw, &TRANSFER_LIMITS, err);
	if (status == STATUS_OK && launch->boot.shared_memory)
		status = shared_memory_create(launch->shared_memory, MACHINE_SHARED_MEMORY_BYTES, err);
	if (status == STATUS_OK)
		status = boot_place_kernel(&launch->boot, err);
	if (status == STATUS_OK && request->deterministic && launch->seed == 0)
		status = identity_find(&launch->boot, &launch->identity, err);
	if (status == STATUS_OK)
		status = boot_prepare(&launch->boot, err);
	if (status == STATUS_OK) {
		if (!request->shell)
			message_progress("%s: booting", launch->result.release);
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
	enum status status = STATUS_OK, closed = STATUS_OK;

	if (launch->boot.shared_memory)
		status = shared_memory_receive(launch->shared_memory, launch->on.receiver, err);
	if (launch->transport == JOB_TRANSPORT_SHARE)
		status = transfer_receive_share(launch->share, launch->raw, &TRANSFER_LIMITS, &report, err);
	else
		closed = transfer_receiver_close(launch->on.receiver, &report, status == STATUS_OK ? err : NULL);
	launch->on.receiver = NULL;
	add_report(&launch->report, &report);
	launch->result.traces = launch->report.traces;
	launch->result.incomplete = launch->report.incomplete;
	launch->result.guest_exit = launch->on.job_exit;
	launch->result.host_wait_share = host_wait_share(&launch->host_wait);
	return status == STATUS_OK ? closed : status;
}

static void keep_release(struct launch *launch)
{
	const char *reported = launch->on.release;

	if (!reported[0] || strcmp(reported, launch->result.release) == 0)
		return;
	message_warning("the image contains release %s, the guest reports %s", launch->result.release, reported);
	snprintf(launch->result.release, sizeof(launch->result.release), "%s", reported);
}

/* The problem starts with the name of the run whose command failed. */
static void find_output(struct launch *launch)
{
	const char *problem = launch->on.problem;
	char name[TRANSFER_NAME_MAX + 8];
	char *path = launch->result.output;

	if (launch->on.job_exit != JOB_EXIT_COMMAND)
		return;
	snprintf(name, sizeof(name), "%.*s.log", (int)strcspn(problem, ":"), problem);
	if (!transfer_name_is_safe(name, strlen(name)) ||
	    file_join(path, sizeof(launch->result.output), launch->raw, name, NULL) != STATUS_OK ||
	    access(path, R_OK) != 0)
		path[0] = '\0';
}

static void show_output(struct launch *launch)
{
	struct console log = {.file = -1};
	struct buffer text = {0};

	if (file_read(launch->result.output, OUTPUT_BYTES_MAX, &text, NULL) == STATUS_OK)
		console_add(&log, text.data, text.length);
	console_last_lines(&log, 12, launch->result.console_tail, sizeof(launch->result.console_tail));
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
	return error_remedy(err, "give a QEMU of the host's distribution with --qemu; vm/fetch-qemu fetches one");
}

static enum status end_boot(struct launch *launch, struct error *err)
{
	launch->virtual_ns += launch->on.virtual_ns;
	struct error receiving, outcome, recording;
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
	if (status == STATUS_GUEST && launch->result.output[0])
		show_output(launch);
	else if (status == STATUS_GUEST)
		console_last_lines(&launch->console, 12, launch->result.console_tail,
				   sizeof(launch->result.console_tail));
	if (launch->console.write_errnum && status == STATUS_OK)
		status = error_system(&outcome, launch->console.write_errnum, launch->console.path, "cannot write");
	if (status == STATUS_OK && launch->request->deterministic)
		status = check_lockstep(launch, &outcome);
	enum status recorded = launch_record(launch, status == STATUS_OK ? NULL : &outcome, &recording);
	if (status == STATUS_OK && recorded != STATUS_OK) {
		outcome = recording;
		status = recorded;
	}
	if (status != STATUS_OK && err)
		*err = outcome;
	return status;
}

/* Wall time and guest time are unrelated. */
static void show_times(struct launch *launch)
{
	const struct supervision *on = &launch->on;

	if (launch->request->deterministic)
		message_info("%s: seed %u took %.1f s, %.3f s of the guest's time", launch->result.release,
			     launch->request->seeds[launch->seed], on->elapsed_s, (double)on->virtual_ns / 1e9);
}

/* Prepares the next boot of the same guest. */
static enum status next_seed(struct launch *launch, struct error *err)
{
	launch->elapsed_s += launch->on.elapsed_s;
	launch->runs_done = 0;
	boot_end(&launch->boot);
	set_seed(launch, launch->seed + 1);
	return launch_open_logs(launch, err);
}

/* On a busy host, a guest may die while it boots. The host cannot make a deterministic guest die, so its death is a
 * result. */
static bool may_start_again(const struct launch *launch, enum status status)
{
	const struct supervision *on = &launch->on;
	const struct vm_request *request = launch->request;
	const struct console *console = &launch->console;
	/* Without a word on the console, it is the engine that failed to start it. To power off is no death. */
	bool left = on->end == GUEST_LEFT_EARLY && on->job_exit < 0 && console->tail_length > 0 &&
		    !memmem(console->tail, console->tail_length, "reboot: Power down", 18);
	bool died = on->end == GUEST_PANICKED || left;

	return status == STATUS_GUEST && died && !on->last_sign[0] && !launch->died_before[0] &&
	       !request->deterministic && !request->shell;
}

static void start_again(struct launch *launch, const struct error *death)
{
	error_text(death, launch->died_before, sizeof(launch->died_before));
	message_warning("%s; starting it once more", launch->died_before);
	launch->elapsed_s += launch->on.elapsed_s;
	launch->result.console_tail[0] = launch->result.output[0] = '\0';
	boot_end(&launch->boot);
	console_begin_again(&launch->console);
	console_begin_again(&launch->engine_log);
}

static enum status boot_all(struct launch *launch, struct error *err)
{
	enum status status = STATUS_OK;

	for (;;) {
		status = boot_guest(launch, err);
		if (status != STATUS_OK) {
			transfer_receiver_close(launch->on.receiver, &launch->report, NULL);
			return status;
		}
		status = end_boot(launch, err);
		if (may_start_again(launch, status)) {
			start_again(launch, err);
			continue;
		}
		if (status != STATUS_OK)
			return status;
		show_times(launch);
		if (!launch->request->deterministic || launch->seed + 1 == launch->request->seed_count)
			return STATUS_OK;
		status = next_seed(launch, err);
		if (status != STATUS_OK)
			return status;
	}
}

static void start_launch(struct launch *launch)
{
	fill_job(launch);
	set_seed(launch, 0);
}

static enum status choose_accelerator(struct launch *launch, struct error *err)
{
	const struct vm_request *request = launch->request;

	return accelerator_choose(request->deterministic ? "tcg" : request->accelerator, &launch->boot,
				  !request->dry_run, &launch->accelerator, err);
}

static enum status run(struct launch *launch, struct error *err)
{
	enum status status = choose_accelerator(launch, err);

	if (status != STATUS_OK)
		return status;
	start_launch(launch);
	if (launch->request->dry_run)
		return print_command(launch);
	status = launch_choose_directory(launch, err);
	if (status == STATUS_OK)
		status = launch_make_directories(launch, err);
	if (status != STATUS_OK)
		return status;
	announce(launch);
	utc_text_now(launch->started_at);
	return boot_all(launch, err);
}

enum status vm_run(struct launch *launch, struct vm_result *result, struct error *err)
{
	struct error unused;
	enum status status = run(launch, err ? err : &unused);

	*result = launch->result;
	return status;
}

enum status vm_identify(struct launch *launch, struct identity *identity, struct error *err)
{
	enum status status = choose_accelerator(launch, err);

	if (status != STATUS_OK)
		return status;
	start_launch(launch);
	status = boot_place_kernel(&launch->boot, err);
	if (status == STATUS_OK)
		status = identity_find(&launch->boot, identity, err);
	boot_end(&launch->boot);
	return status;
}

void vm_close(struct launch *launch)
{
	if (!launch)
		return;
	boot_end(&launch->boot);
	console_close(&launch->console);
	console_close(&launch->engine_log);
	if (launch->lock >= 0)
		close(launch->lock);
	if (launch->staging[0])
		directory_remove_all(launch->staging);
	modules_free(&launch->modules);
	kernel_files_free(&launch->kernel);
	free(launch);
}

enum status vm_open(const struct vm_request *request, struct launch **launch, struct error *err)
{
	struct launch *new = calloc(1, sizeof(*new));

	*launch = new;
	if (!new)
		return error_system(err, ENOMEM, NULL, "cannot start");
	new->request = request;
	new->boot.directory.lock = new->lock = -1;
	new->console.file = new->engine_log.file = -1;
	new->result = (struct vm_result){.guest_exit = -1, .host_wait_share = NAN};
	enum status status = launch_find_inputs(new, err);
	if (status != STATUS_OK) {
		vm_close(new);
		*launch = NULL;
	}
	return status;
}
