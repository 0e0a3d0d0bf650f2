/* SPDX-License-Identifier: MIT */
#include "vm/launch/launch.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"
#include "base/message.h"
#include "base/program_path.h"
#include "vm/files/base_archive.h"
#include "vm/launch/shared_memory.h"
#include "vm/launch/terminal.h"
#include "vm/launch/transfer_receive.h"
#include "vm/launch/transfer_share.h"
#include "vm/protocol/transfer.h"

#define OUTPUT_MOST      (16u << 20)
#define KERNEL_LINE_MOST 1800 /* of the 2048 bytes that x86 kernels take: vng adds its own */

/* --- What it takes --- */

/* make writes it beside the binary, make install into ../lib/picknext. */
static enum status find_own(const char *name, char *path, struct error *err)
{
	char installed[64];

	snprintf(installed, sizeof(installed), "../lib/picknext/%s", name);
	if (program_find_beside(name, path, PATH_MAX) || program_find_beside(installed, path, PATH_MAX))
		return STATUS_OK;
	error_set(err, STATUS_SYSTEM, name, "is neither beside picknext nor in ../lib/picknext");
	return error_remedy(err, "run make to build it");
}

static enum status find_initramfs(const char *given, char *path, struct error *err)
{
	if (!given) {
		enum status status = find_own("initramfs.cpio.gz", path, err);
		return status == STATUS_OK ? status
					   : error_remedy(err, "make builds it; or give one with --initramfs FILE");
	}
	snprintf(path, PATH_MAX, "%s", given);
	return access(given, R_OK) == 0 ? STATUS_OK : error_system(err, errno, given, "cannot read the initramfs");
}

/* Also for a program of the command that this machine does not have. */
static enum status check_initramfs(const struct launch *launch, struct error *err)
{
	const struct guest_files *guest_files = launch->request->guest_files;
	const char *program = guest_files ? guest_files->expected : NULL;
	struct buffer archive = {0};
	enum status status = base_archive_read(launch->initramfs, &archive, err);

	if (status == STATUS_OK && program && !base_archive_has(&archive, program)) {
		error_set(err, STATUS_SYSTEM, program, "there is no such program in PATH, nor in the guest");
		status = error_remedy(err, "name what to run by its path, or add it: --add HOST:/bin/%s", program);
	}
	buffer_free(&archive);
	return status;
}

static void fill_machine(struct launch *launch)
{
	const struct vm_request *request = launch->request;
	struct machine *machine = &launch->boot.machine;

	machine->engine = &launch->engine;
	machine->cpus = request->cpus;
	machine->no_isolated_cpu = request->no_isolated_cpu;
	machine->memory_mb = request->memory_mb;
	machine->nohz_full = kernel_config(&launch->kernel, "NO_HZ_FULL") == 'y';
	machine->rcu_nocbs = kernel_config(&launch->kernel, "RCU_NOCB_CPU") == 'y';
	machine->append = request->append;
	machine->deterministic = request->deterministic;
	machine->shell = request->shell;
	if (machine->shell)
		terminal_size(&machine->rows, &machine->columns);
	launch->boot.kernel = &launch->kernel;
	launch->boot.modules = &launch->modules;
	launch->boot.files = request->guest_files;
	launch->boot.initramfs = launch->initramfs;
}

static enum status look_around(struct launch *launch, struct error *err)
{
	const struct vm_request *request = launch->request;
	enum status status = kernel_files_find(request->kernel, request->modules, &launch->kernel, err);

	if (status == STATUS_OK)
		status = find_initramfs(request->initramfs, launch->initramfs, err);
	if (status == STATUS_OK)
		status = check_initramfs(launch, err);
	if (status == STATUS_OK)
		status = request->deterministic ? engine_find_deterministic(request->qemu, &launch->engine, err)
						: engine_find(request->engine, request->qemu, &launch->engine, err);
	if (status == STATUS_OK && request->deterministic) {
		status = find_own(MACHINE_LOCKSTEP, launch->lockstep, err);
		launch->boot.lockstep = launch->lockstep;
	}
	if (status != STATUS_OK)
		return status;
	snprintf(launch->result->release, sizeof(launch->result->release), "%s",
		 launch->kernel.image.release[0] ? launch->kernel.image.release : "kernel");
	fill_machine(launch);
	return launch_choose_transport(launch, err);
}

static enum status check_kernel_line(const struct launch *launch, struct error *err)
{
	struct arguments line = {0};
	size_t length = 0;

	machine_kernel_arguments(&launch->boot.machine, &line);
	for (size_t i = 0; i < line.count; i++)
		length += strlen(line.items[i]) + 1;
	arguments_free(&line);
	if (length <= KERNEL_LINE_MOST)
		return STATUS_OK;
	return error_set(err, STATUS_USAGE, "--append",
			 "makes the kernel's command line %zu bytes long; at most %d fit", length, KERNEL_LINE_MOST);
}

/* --- The run --- */

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
	    .arguments = launch->request->collect_arguments,
	};
}

/* The next boot is of this seed. */
static void take_seed(struct launch *launch, size_t seed)
{
	const struct vm_request *request = launch->request;

	launch->seed = seed;
	if (!request->deterministic)
		return;
	launch->boot.machine.seed = request->seeds[seed];
	launch->boot.job.first_run = request->seeds[seed];
}

static enum status dry_run(struct launch *launch)
{
	struct buffer text = {0};

	if (!launch->accelerator.certain)
		message_info("%s; the line below is for tcg, a real start tries KVM first", launch->accelerator.why);
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

	message_info("%s: %s %s, %s (%s), %u workload CPUs and %s for the tracer, %llu MB", launch->result->release,
		     engine, launch->engine.qemu_version, accelerator_name(machine->accelerator),
		     launch->accelerator.why, machine->cpus, machine->no_isolated_cpu ? "none" : "one",
		     (unsigned long long)machine->memory_mb);
	if (launch->transport_why[0])
		message_info("%s: traces leave through a port: %s", launch->result->release, launch->transport_why);
	if (launch->request->shell)
		message_info("%s: a shell in the guest; leave it with exit, or with Ctrl+]", launch->result->release);
	if (machine->shell || launch->result->earlier == 0)
		return;
	message_info("%s: %u traces of earlier runs lie in %s and stay, unless they have the same name",
		     launch->result->release, launch->result->earlier, launch->raw);
}

static enum status boot_and_watch(struct launch *launch, struct error *err)
{
	const struct vm_request *request = launch->request;
	struct supervision *on = &launch->on;
	enum status status = STATUS_OK;

	*on = (struct supervision){.console = &launch->console,
				   .engine_log = &launch->engine_log,
				   .line = launch_progress_line,
				   .context = launch,
				   .boot_timeout_s = request->boot_timeout_s,
				   .silence_timeout_s = request->silence_timeout_s,
				   .total_timeout_s = request->total_timeout_s,
				   .until_done = request->deterministic,
				   .shell = request->shell,
				   .job_exit = -1};
	if (!request->deterministic)
		on->host_wait = &launch->host_wait;
	launch->host_wait.started_at = time(NULL);
	if (launch->transport != JOB_TRANSPORT_SHARE)
		status = transfer_receiver_open(&on->receiver, launch->raw, &TRANSFER_LIMITS, err);
	if (status == STATUS_OK && launch->boot.shared_memory)
		status = shared_memory_create(launch->shared_memory, MACHINE_SHARED_MEMORY_BYTES, err);
	if (status == STATUS_OK)
		status = boot_prepare(&launch->boot, err);
	if (status == STATUS_OK && request->deterministic && launch->seed == 0)
		status = identity_find(&launch->boot, &launch->result->identity, err);
	if (status == STATUS_OK) {
		if (!request->shell)
			message_progress("%s: booting", launch->result->release);
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

/* Takes what the guest left, however it ended. */
static enum status take_traces(struct launch *launch, struct error *err)
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
	launch->result->traces = launch->report.traces;
	launch->result->incomplete = launch->report.incomplete;
	launch->result->guest_exit = launch->on.job_exit;
	if (status == STATUS_OK)
		status = closed;
	return status == STATUS_OK
		   ? host_wait_mark_runs(&launch->host_wait, launch->raw, &launch->result->vcpu_time, err)
		   : status;
}

static void keep_release(struct launch *launch)
{
	const char *told = launch->on.release;

	if (!told[0] || strcmp(told, launch->result->release) == 0)
		return;
	message_warning("the image says it is %s, the guest says %s", launch->result->release, told);
	snprintf(launch->result->release, sizeof(launch->result->release), "%s", told);
}

/* The problem begins with the name of the run in which the command failed. */
static void find_output(struct launch *launch)
{
	const char *problem = launch->on.problem;
	char name[TRANSFER_NAME_MAX + 8];
	char *path = launch->result->output;

	if (launch->on.job_exit != JOB_EXIT_COMMAND)
		return;
	snprintf(name, sizeof(name), "%.*s.log", (int)strcspn(problem, ":"), problem);
	if (!transfer_name_is_safe(name, strlen(name)) ||
	    file_join(path, sizeof(launch->result->output), launch->raw, name, NULL) != STATUS_OK ||
	    access(path, R_OK) != 0)
		path[0] = '\0';
}

static void show_output(struct launch *launch)
{
	struct console log = {.file = -1};
	struct buffer text = {0};

	if (file_read(launch->result->output, OUTPUT_MOST, &text, NULL) == STATUS_OK)
		console_add(&log, text.data, text.length);
	console_last_lines(&log, 12, launch->result->console_tail, sizeof(launch->result->console_tail));
	buffer_free(&text);
}

/* A QEMU that does not load it (one that is static, or of another C library) would run all the same, and be
 * deterministic most of the time only. */
static enum status check_step(const struct launch *launch, struct error *err)
{
	const struct console *log = &launch->engine_log;

	if (memmem(log->tail, log->tail_length, "picknext: in step", 17))
		return STATUS_OK;
	error_set(err, STATUS_UNSUPPORTED, launch->engine.qemu, "did not load %s, without which its runs differ",
		  launch->lockstep);
	return error_remedy(err, "give a QEMU of this machine's own distribution with --qemu; vm/fetch-qemu gets one");
}

static enum status finish(struct launch *launch, struct error *err)
{
	launch->virtual_ns += launch->on.virtual_ns;
	struct error taking, outcome, recording;
	enum status taken = take_traces(launch, &taking);
	find_output(launch);
	enum status status = launch_outcome(launch, &outcome);

	keep_release(launch);
	if (status != STATUS_GUEST || !strstr(outcome.what, launch->problem))
		launch_tell_problem(launch);
	if (status == STATUS_OK && taken != STATUS_OK) {
		outcome = taking;
		status = taken;
	}
	if (status == STATUS_GUEST && launch->result->output[0])
		show_output(launch);
	else if (status == STATUS_GUEST)
		console_last_lines(&launch->console, 12, launch->result->console_tail,
				   sizeof(launch->result->console_tail));
	if (launch->console.write_errnum && status == STATUS_OK)
		status = error_system(&outcome, launch->console.write_errnum, launch->console.path, "cannot write");
	if (status == STATUS_OK && launch->request->deterministic)
		status = check_step(launch, &outcome);
	if (status == STATUS_OK && launch->request->deterministic)
		status = identity_mark_runs(launch->raw, &launch->result->identity,
					    launch->request->seeds[launch->seed], &outcome);
	enum status recorded = launch_record(launch, status == STATUS_OK ? NULL : &outcome, &recording);
	if (status == STATUS_OK && recorded != STATUS_OK) {
		outcome = recording;
		status = recorded;
	}
	if (status != STATUS_OK && err)
		*err = outcome;
	return status;
}

static void note_start(struct launch *launch)
{
	utc_text_now(launch->started_at);
}

/* Wall time beside the guest's own: neither says anything of the other. */
static void tell_times(struct launch *launch)
{
	const struct supervision *on = &launch->on;

	if (launch->request->deterministic)
		message_info("%s: seed %u took %.1f s, %.3f s of the guest's time", launch->result->release,
			     launch->request->seeds[launch->seed], on->elapsed_s, (double)on->virtual_ns / 1e9);
}

/* Another boot of the same guest. */
static enum status next_seed(struct launch *launch, struct error *err)
{
	launch->elapsed_s += launch->on.elapsed_s;
	launch->runs_done = 0;
	boot_end(&launch->boot);
	take_seed(launch, launch->seed + 1);
	return launch_open_logs(launch, err);
}

static enum status boot_all(struct launch *launch, struct error *err)
{
	enum status status = STATUS_OK;

	for (;;) {
		status = boot_and_watch(launch, err);
		if (status != STATUS_OK) {
			transfer_receiver_close(launch->on.receiver, &launch->report, NULL);
			return status;
		}
		status = finish(launch, err);
		if (status != STATUS_OK)
			return status;
		tell_times(launch);
		if (!launch->request->deterministic || launch->seed + 1 == launch->request->seed_count)
			return STATUS_OK;
		status = next_seed(launch, err);
		if (status != STATUS_OK)
			return status;
	}
}

static enum status identify(struct launch *launch, struct error *err)
{
	launch->boot.shared_memory = NULL;
	enum status status = boot_prepare(&launch->boot, err);

	return status == STATUS_OK ? identity_find(&launch->boot, &launch->result->identity, err) : status;
}

static enum status run(struct launch *launch, struct error *err)
{
	const struct vm_request *request = launch->request;
	enum status status = look_around(launch, err);

	if (status == STATUS_OK)
		status = check_kernel_line(launch, err);
	if (status == STATUS_OK)
		status = accelerator_choose(request->deterministic ? "tcg" : request->accelerator, &launch->boot,
					    !request->dry_run, &launch->accelerator, err);
	if (status != STATUS_OK)
		return status;
	fill_job(launch);
	take_seed(launch, 0);
	if (request->dry_run)
		return dry_run(launch);
	if (request->identify)
		return identify(launch, err);
	status = launch_choose_directory(launch, err);
	if (status == STATUS_OK)
		status = launch_make_directories(launch, err);
	if (status != STATUS_OK)
		return status;
	announce(launch);
	note_start(launch);
	return boot_all(launch, err);
}

static void clean_up(struct launch *launch)
{
	boot_end(&launch->boot);
	console_close(&launch->console);
	console_close(&launch->engine_log);
	if (launch->lock >= 0)
		close(launch->lock);
	if (launch->staging[0])
		directory_remove_all(launch->staging);
	host_wait_free(&launch->host_wait);
	modules_free(&launch->modules);
	kernel_files_free(&launch->kernel);
}

static struct launch *launch_new(const struct vm_request *request, struct vm_result *result, struct error *err)
{
	struct launch *launch = calloc(1, sizeof(*launch));

	if (!launch) {
		error_system(err, ENOMEM, NULL, "cannot start");
		return NULL;
	}
	launch->request = request;
	launch->result = result;
	launch->boot.directory.lock = -1;
	launch->lock = -1;
	launch->console.file = launch->engine_log.file = -1;
	*result = (struct vm_result){.guest_exit = -1};
	return launch;
}

enum status vm_run(const struct vm_request *request, struct vm_result *result, struct error *err)
{
	struct launch *launch = launch_new(request, result, err);

	if (!launch)
		return STATUS_SYSTEM;
	enum status status = run(launch, err);
	clean_up(launch);
	free(launch);
	return status;
}

enum status vm_check(const struct vm_request *request, struct error *err)
{
	struct vm_result result;
	struct launch *launch = launch_new(request, &result, err);

	if (!launch)
		return STATUS_SYSTEM;
	enum status status = look_around(launch, err);
	if (status == STATUS_OK)
		status = check_kernel_line(launch, err);
	clean_up(launch);
	free(launch);
	return status;
}
