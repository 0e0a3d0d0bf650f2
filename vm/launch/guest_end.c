/* SPDX-License-Identifier: MIT */
#include "vm/launch/guest_end.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/statvfs.h>

#include "base/filter.h"
#include "base/interrupt.h"

#define NO_ROOM_BYTES    (4ull << 20)
#define QEMU_RESERVES_GB 2ull /* of addresses, half of them for translated code */

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
	if (run->arrival.failure.status != STATUS_OK)
		return host_failed(run, &run->arrival.failure, err);
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

enum status guest_end_explain(const struct guest_run *run, struct error *err)
{
	enum status status = explain_end(run, err);

	if (status == STATUS_GUEST && run->launch->modules.assumed && run->report->outcome.traces == 0 &&
	    !run->launch->options->deterministic) /* it needs none of them */
		error_remedy(err,
			     "no modules were found beside the image, so all drivers were assumed to be built in; give "
			     "the modules with --guest modules=DIR");
	if (status == STATUS_OK && run->arrival.failure.status != STATUS_OK)
		status = host_failed(run, &run->arrival.failure, err);
	if (status == STATUS_OK && run->console.write_errnum)
		status = error_system(err, run->console.write_errnum, run->console.path, "cannot write");
	if (status == STATUS_OK && run->launch->options->deterministic)
		status = check_lockstep(run, err);
	return status;
}
