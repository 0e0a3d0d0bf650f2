/* SPDX-License-Identifier: MIT
 *
 * The life of one run: its files, its guest, what arrives from it, and its report. */
#include "vm/launch/guest_run.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/file.h"
#include "base/filter.h"
#include "base/interrupt.h"
#include "base/memory.h"
#include "base/message.h"
#include "vm/engine/host_wait.h"
#include "vm/launch/launch.h"
#include "vm/launch/output_values.h"
#include "vm/launch/share.h"
#include "vm/launch/shared_memory_receive.h"
#include "vm/protocol/transfer.h"

#define OUTPUT_BYTES_MAX (16u << 20)
#define NO_ROOM_BYTES    (4ull << 20)
#define QEMU_RESERVES_GB 2ull /* of addresses, half of them for translated code */

/* The state of a run in its own process. */
struct guest_run {
	const struct launch *launch;
	uint32_t number;
	char name[112];            /* for messages: "base, seed 3" */
	struct run_report *report; /* filled in from its begin on */
	const struct run_listener *listener;
	struct boot boot;

	/* DIR/SET/.guest-RUN-XXXXXX: share, scratch disk and shared memory of a running guest, and what has arrived */
	char staging[PATH_MAX];
	struct cleanup remove_staging;
	char arrived[PATH_MAX]; /* in staging: files of the guest, until those of a workload are all there */
	struct shared_memory_receiver memory; /* takes them while the guest runs */
	struct error receiving;               /* the first of the host when it took them over, or STATUS_OK */

	struct supervision on;
	bool has_ended; /* on.end is known */
	struct console console, engine_log;
	struct host_wait host_wait; /* not of a deterministic guest */
	unsigned int runs_done, runs_of;
	char problem[GUEST_LINE_MAX + 1]; /* the last one of the guest, not shown yet: it may become the error */

	char log[256]; /* the file in raw with the output of its command; or "" */
};

void guest_run_name(const struct launch *launch, uint32_t number, char *name, size_t size)
{
	snprintf(name, size, "%s, %s %u", launch->result.set, launch->options->deterministic ? "seed" : "run", number);
}

/* --- Its files --- */

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

static void remove_staging(void *context)
{
	const struct guest_run *run = context;

	directory_remove_all(run->staging);
}

static enum status make_in_staging(const struct guest_run *run, const char *name, char *path, struct error *err)
{
	enum status status = file_join(path, PATH_MAX, run->staging, name, err);

	if (status == STATUS_OK && mkdir(path, 0700) < 0)
		status = error_system(err, errno, path, "cannot create directory");
	return status;
}

/* A guest writes to it, so other users of the host must not get in. */
static enum status make_staging(struct guest_run *run, struct error *err)
{
	char name[32], path[PATH_MAX];

	snprintf(name, sizeof(name), GUEST_STAGING "%u-XXXXXX", run->number);
	enum status status = file_join(path, sizeof(path), run->launch->result.directory, name, err);
	if (status != STATUS_OK)
		return status;
	if (!mkdtemp(path))
		return error_system(err, errno, run->launch->result.directory, "cannot make a directory for the guest");
	memcpy(run->staging, path, sizeof(path));
	run->boot.staging = run->staging;
	cleanup_add(&run->remove_staging, remove_staging, run);
	status = make_in_staging(run, MACHINE_SHARE, path, err);
	return status == STATUS_OK ? make_in_staging(run, "raw", run->arrived, err) : status;
}

/* --- What arrives from it --- */

static void tell(const struct guest_run *run, const struct guest_line *line)
{
	run->listener->hear(run->listener->context, line);
}

static void add_transfer(struct run_report *report, const struct transfer_report *transfer)
{
	report->outcome.traces += transfer->traces;
	report->outcome.incomplete_files += transfer->incomplete;
	report->outcome.refused_files += transfer->refused;
	report->outcome.bytes += transfer->bytes;
	if (!report->problem[0])
		memcpy(report->problem, transfer->problem, sizeof(report->problem));
}

static void note_receiving(struct guest_run *run, const struct error *err)
{
	if (run->receiving.status == STATUS_OK)
		run->receiving = *err;
}

/* Moves what has arrived to DIR/SET/raw, also after errors. */
static void place_files(struct guest_run *run)
{
	bool has_values;
	struct error err = {0};

	if (output_values_add(&run->launch->options->values, run->arrived, &has_values, &err) != STATUS_OK)
		note_receiving(run, &err);
	if (transfer_place_move(run->arrived, run->launch->raw, &err) != STATUS_OK)
		note_receiving(run, &err);
}

static enum status open_memory(struct guest_run *run, struct error *err)
{
	char path[PATH_MAX];

	if (run->memory.is_open)
		return STATUS_OK;
	enum status status = file_join(path, sizeof(path), run->staging, MACHINE_SHARED_MEMORY, err);
	return status == STATUS_OK
		   ? shared_memory_open_receiver(&run->memory, path, run->arrived, &TRANSFER_LIMITS, err)
		   : status;
}

/* NAME is the JSON of this run, and both it and its trace were taken: a guest may say anything. */
static bool is_run_of(const struct guest_run *run, const char *name)
{
	char ending[32], path[PATH_MAX];

	snprintf(ending, sizeof(ending), "_run%" PRIu32 ".json", run->number);
	if (!file_name_ends(name, ending) || file_join(path, sizeof(path), run->arrived, name, NULL) != STATUS_OK ||
	    access(path, F_OK) < 0)
		return false;
	memcpy(path + strlen(path) - strlen(".json"), ".dat", sizeof(".dat"));
	return access(path, F_OK) == 0;
}

/* The guest says that a file is whole, its trace before its JSON. Files in a share are checked after its end. */
static void take_file(struct guest_run *run, const struct guest_line *line)
{
	struct error err = {0};

	if (!run->boot.machine.shared_memory || run->receiving.status != STATUS_OK)
		return;
	enum status status = open_memory(run, &err);
	if (status == STATUS_OK)
		status = shared_memory_take(&run->memory, &err);
	if (status != STATUS_OK)
		note_receiving(run, &err);
	if (!is_run_of(run, line->name))
		return;
	place_files(run);
	tell(run, line);
}

/* Called for every end of a guest. */
static void take_rest(struct guest_run *run)
{
	struct transfer_report transfer = {0};
	struct error err = {0};
	char share[PATH_MAX];
	enum status status = STATUS_OK;

	if (run->boot.machine.shared_memory) {
		status = open_memory(run, &err);
		if (status == STATUS_OK)
			status = shared_memory_take_all(&run->memory, &err);
		transfer = shared_memory_close_receiver(&run->memory);
	} else {
		status = file_join(share, sizeof(share), run->staging, MACHINE_SHARE, &err);
		if (status == STATUS_OK)
			status = transfer_receive_share(share, run->arrived, &TRANSFER_LIMITS, &transfer, &err);
	}
	if (status != STATUS_OK)
		note_receiving(run, &err);
	add_transfer(run->report, &transfer);
	place_files(run);
}

/* --- What the guest reports, for the user --- */

static void show_trace(struct guest_run *run, const struct guest_line *line)
{
	size_t length = strlen(line->name);

	if (file_name_ends(line->name, ".log") && strncmp(line->name, "scheduler_run", 13) != 0)
		snprintf(run->log, sizeof(run->log), "%s", line->name);
	if (run->launch->options->no_trace && length > 4)
		message_info("%s: %.*s done; its output is in %s/%s", run->launch->result.set, (int)length - 4,
			     line->name, run->launch->raw, line->name);
	if (!file_name_ends(line->name, ".dat"))
		return;
	run->runs_done++;
	message_detail("%s: %.*s done (%u of %u), %llu KiB", run->launch->result.set, (int)length - 4, line->name,
		       run->runs_done, run->runs_of, (unsigned long long)(line->size + 1023) / 1024);
}

static void show_problem(struct guest_run *run)
{
	if (run->problem[0])
		message_warning("%s: %s", run->name, run->problem);
	run->problem[0] = '\0';
}

static void show_line(void *context, const struct guest_line *line)
{
	struct guest_run *run = context;

	switch (line->kind) {
	case GUEST_LINE_HELLO:
		message_detail("%s: up after %.1f s", run->name, run->on.boot_s);
		break;
	case GUEST_LINE_PROGRESS:
		run->runs_done = line->done;
		run->runs_of = line->of;
		tell(run, line);
		break;
	case GUEST_LINE_TRACE:
		show_trace(run, line);
		take_file(run, line);
		break;
	case GUEST_LINE_PROBLEM:
		show_problem(run);
		snprintf(run->problem, sizeof(run->problem), "%s", line->text);
		break;
	case GUEST_LINE_NOTE:
		message_detail("%s: %s", run->name, line->text);
		break;
	case GUEST_LINE_SENDING:
	case GUEST_LINE_CLOCK:
	case GUEST_LINE_DONE:
	case GUEST_LINE_UNKNOWN:
		break;
	}
}

/* Long before its time limit ends it. */
static void show_silence(void *context, unsigned int seconds)
{
	const struct guest_run *run = context;
	char line[200];

	console_last_line(&run->console, line, sizeof(line));
	message_warning(
	    "%s: the guest has written nothing for %u s; %s %s%s; it is ended after %u s (--guest boot-timeout)",
	    run->name, seconds, run->console.path,
	    line[0] ? "ends in: " : "is empty, so the kernel image may be damaged", line, run->on.boot_timeout_s);
}

/* --- The guest --- */

static enum status boot_guest(struct guest_run *run, struct error *err)
{
	const struct launch_options *options = run->launch->options;
	struct supervision *on = &run->on;

	*on = (struct supervision){.console = &run->console,
				   .engine_log = &run->engine_log,
				   .line = show_line,
				   .silent = options->shell ? NULL : show_silence,
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

/* --- How it ended --- */

static bool host_disk_is_full(const struct guest_run *run)
{
	struct statvfs disk;

	if (statvfs(run->launch->result.directory, &disk) < 0)
		return false;
	return (unsigned long long)disk.f_bavail * disk.f_frsize < NO_ROOM_BYTES;
}

static enum status host_full(const struct guest_run *run, int errnum, struct error *err)
{
	error_system(err, errnum, run->launch->result.directory, "cannot keep the traces");
	return error_remedy(err, "free space, or choose another disk with -o; %llu traces are kept",
			    (unsigned long long)run->report->outcome.traces);
}

static enum status host_failed(const struct guest_run *run, const struct error *host, struct error *err)
{
	if (host->status == STATUS_SYSTEM && (host->errnum == ENOSPC || host->errnum == EDQUOT))
		return host_full(run, host->errnum, err);
	*err = *host;
	return err->status;
}

/* The guest's reason may be empty. */
static const char *reason(const char *reported)
{
	return reported[0] ? reported : "no reason reported";
}

static enum status no_memory(const struct guest_run *run, const char *how, struct error *err)
{
	error_system(err, ENOMEM, run->name, "this machine has no memory for the guest%s", how);
	return error_remedy(
	    err,
	    "QEMU reserves about %llu GB besides the guest's %llu MB: free memory, raise a limit (ulimit -v), "
	    "or give the guest less with --guest memory=MB",
	    QEMU_RESERVES_GB + (run->boot.machine.shared_memory ? MACHINE_SHARED_MEMORY_BYTES >> 30 : 0),
	    (unsigned long long)run->launch->options->guest.memory_mb);
}

/* A SIGKILL usually comes from the OOM killer of the host or of a control group. */
static enum status explain_kill(const struct guest_run *run, enum status status, struct error *err)
{
	if (run->on.engine_signal != SIGKILL)
		return status;
	return error_remedy(err, "QEMU was killed; unless a user did that, the host ran out of memory: see dmesg");
}

static enum status left_early(const struct guest_run *run, struct error *err)
{
	const struct supervision *on = &run->on;
	char words[300];
	char how[400];

	/* QEMU dies if the disk has no room for the shared memory. */
	if (run->boot.machine.shared_memory && host_disk_is_full(run))
		return host_full(run, ENOSPC, err);
	console_last_line(&run->engine_log, words, sizeof(words));
	snprintf(how, sizeof(how), "%s%s", words[0] ? ": " : "", words);
	if (!on->said_hello && filter_lacks_memory(run->engine_log.tail, run->engine_log.tail_length))
		return no_memory(run, how, err);
	if (on->said_hello && on->job_exit >= 0)
		return error_set(err, STATUS_GUEST, run->name, "the job in the guest died with status %d%s",
				 on->job_exit, how);
	if (on->said_hello) {
		error_set(err, STATUS_GUEST, run->name, "the guest ended before its job did%s%s",
			  on->last_sign[0] ? ", during " : "", on->last_sign[0] ? on->last_sign : how);
		return explain_kill(run, STATUS_GUEST, err);
	}
	if (run->console.powered_off) {
		error_set(err, STATUS_GUEST, run->name, "the guest powered off before it could report anything%s%s",
			  run->console.said[0] ? ": " : "", run->console.said);
		return error_remedy(err, "see the end of %s", run->console.path);
	}
	error_set(err, STATUS_GUEST, run->name, "the guest ended before it was up%s", how);
	/* Suspect KVM if QEMU printed nothing, or names KVM. */
	if (run->launch->accelerator.accelerator == ACCELERATOR_KVM && (!words[0] || strcasestr(words, "kvm")))
		error_remedy(err, "try --mode tcg");
	else if (words[0])
		error_remedy(err, "see %s", run->engine_log.path);
	else
		error_remedy(err, "see %s", run->console.path);
	return explain_kill(run, STATUS_GUEST, err);
}

/* The problem starts with the name of the run; the command's output is in NAME.log. */
static enum status command_failed(const struct guest_run *run, struct error *err)
{
	const char *problem = run->on.problem;

	error_set(err, STATUS_GUEST, run->name, "%s", problem[0] ? problem : "the command failed");
	if (run->report->output[0])
		return error_remedy(err, "its output is in %s", run->report->output);
	return err ? err->status : STATUS_GUEST;
}

static enum status job_failed(const struct guest_run *run, struct error *err)
{
	const struct supervision *on = &run->on;
	char words[300];

	if (on->job_exit == JOB_EXIT_FULL) {
		if (host_disk_is_full(run))
			return host_full(run, ENOSPC, err);
		error_set(err, STATUS_GUEST, run->name, "the guest ran out of memory: %s", reason(on->problem));
		return error_remedy(err,
				    "give it more with --guest memory=MB (now %llu MB), or record less with --scale",
				    (unsigned long long)run->launch->options->guest.memory_mb);
	}
	if (on->job_exit == JOB_EXIT_COMMAND)
		return command_failed(run, err);
	if (on->job_exit == JOB_EXIT_EJECTED) {
		error_set(err, STATUS_GUEST, run->name, "%s", reason(on->problem));
		return error_remedy(err, "its output is in %s/scheduler_run%u.log", run->launch->raw, run->number);
	}
	console_last_line(&run->engine_log, words, sizeof(words));
	return error_set(err, STATUS_GUEST, run->name, "the job in the guest failed (status %d): %s", on->job_exit,
			 on->problem[0] ? on->problem : reason(words));
}

/* Some files are incomplete if the host failed when it received them. */
static enum status finished(const struct guest_run *run, struct error *err)
{
	if (run->on.job_exit != 0)
		return job_failed(run, err);
	if (run->receiving.status != STATUS_OK)
		return host_failed(run, &run->receiving, err);
	const struct run_outcome *outcome = &run->report->outcome;
	if (outcome->incomplete_files || outcome->refused_files)
		return error_set(err, STATUS_GUEST, run->name,
				 "%llu files arrived incomplete and %llu were refused: %s",
				 (unsigned long long)outcome->incomplete_files,
				 (unsigned long long)outcome->refused_files, reason(run->report->problem));
	return STATUS_OK;
}

static enum status timed_out(const struct guest_run *run, struct error *err)
{
	const struct supervision *on = &run->on;
	const struct guest_options *guest = &run->launch->options->guest;
	const char *where = run->name;
	const char *during = on->last_sign[0] ? on->last_sign : on->said_hello ? "before its first run" : "boot";

	if (on->end == GUEST_NOT_BOOTED) {
		error_set(err, STATUS_GUEST, where, "the guest did not boot within %u s%s",
			  launch_patience_s(run->launch->options, guest->boot_timeout_s),
			  run->console.length ? "" : " and wrote nothing");
		return error_remedy(err, "%sraise --guest boot-timeout if it is only slow",
				    run->launch->accelerator.accelerator == ACCELERATOR_KVM ? "try --mode tcg, or "
											    : "");
	}
	if (on->end == GUEST_SILENT) {
		error_set(err, STATUS_GUEST, where, "the guest hangs: no output for %u s (%s)",
			  launch_patience_s(run->launch->options, guest->silence_timeout_s), during);
		return error_remedy(err, "raise --guest silence-timeout if it is only slow");
	}
	error_set(err, STATUS_GUEST, where, "the guest did not finish within %u s (%s)", (unsigned int)guest->timeout_s,
		  during);
	return error_remedy(err, "raise --guest timeout, or record less with --scale");
}

static enum status explain_end(const struct guest_run *run, struct error *err)
{
	const struct supervision *on = &run->on;

	switch (on->end) {
	case GUEST_DONE:
		return finished(run, err);
	case GUEST_PANICKED:
		if (run->console.oops[0])
			error_set(err, STATUS_GUEST, run->name, "the guest's kernel died: %s", run->console.oops);
		else
			error_set(err, STATUS_GUEST, run->name, "the guest's kernel panicked: %s", run->console.panic);
		return error_remedy(err, "see %s", run->console.path);
	case GUEST_NOT_BOOTED:
	case GUEST_SILENT:
	case GUEST_OVERTIME:
		return timed_out(run, err);
	case GUEST_LEFT_EARLY:
		return left_early(run, err);
	case GUEST_LEFT_SHELL:
		return STATUS_OK;
	case GUEST_INTERRUPTED:
		return interrupt_check(err);
	case GUEST_HOST_FAILED:
		return host_failed(run, &on->host_error, err);
	}
	return STATUS_OK;
}

/* One error message for each way in which a guest can end. */
static enum status explain(const struct guest_run *run, struct error *err)
{
	enum status status = explain_end(run, err);

	if (status == STATUS_GUEST && run->launch->modules.assumed && run->report->outcome.traces == 0 &&
	    !run->launch->options->deterministic) /* it needs none of them */
		error_remedy(err,
			     "no modules were found beside the image, so all drivers were assumed to be built in; give "
			     "the modules with --guest modules=DIR");
	return status;
}

/* --- What it left --- */

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

/* A QEMU that cannot load the library (static, or with another C library) runs without it, and is not always
 * deterministic. */
static enum status check_lockstep(const struct guest_run *run, struct error *err)
{
	const struct console *log = &run->engine_log;

	if (memmem(log->tail, log->tail_length, "picknext: in step", 17))
		return STATUS_OK;
	error_set(err, STATUS_UNSUPPORTED, run->launch->engine.qemu,
		  "did not load %s; without it, runs of a seed may differ", run->launch->lockstep);
	return error_remedy(err, "use a QEMU of the host's distribution: --guest qemu=PROGRAM, or picknext fetch qemu");
}

static enum status end_boot(struct guest_run *run, struct error *err)
{
	struct error outcome;

	take_rest(run);
	find_output(run);
	show_log(run);
	enum status status = explain(run, &outcome);

	keep_release(run);
	if (status != STATUS_GUEST || !strstr(outcome.what, run->problem))
		show_problem(run);
	if (status == STATUS_OK && run->receiving.status != STATUS_OK)
		status = host_failed(run, &run->receiving, &outcome);
	if (status == STATUS_GUEST && run->report->output[0])
		show_output(run);
	else if (status == STATUS_GUEST)
		show_console(run);
	if (run->console.write_errnum && status == STATUS_OK)
		status = error_system(&outcome, run->console.write_errnum, run->console.path, "cannot write");
	if (status == STATUS_OK && run->launch->options->deterministic)
		status = check_lockstep(run, &outcome);
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
	run->receiving = (struct error){0};
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

	report->status = make_staging(run, &report->error);
	if (report->status == STATUS_OK)
		report->status = open_logs(run, &report->error);
	if (report->status == STATUS_OK)
		report->status = boot_to_end(run, &report->error);
	fill_report(run);
	boot_end(&run->boot);
	shared_memory_close_receiver(&run->memory);
	console_close(&run->console);
	console_close(&run->engine_log);
	cleanup_finish(&run->remove_staging);
	free(run);
}
