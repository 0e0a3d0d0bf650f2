/* SPDX-License-Identifier: MIT
 *
 * One error message for each way in which a guest can end. */
#include "vm/launch/launch_outcome.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/statvfs.h>
#include <sys/wait.h>

#include "base/escape.h"
#include "base/interrupt.h"
#include "vm/launch/launch_state.h"

#define NO_ROOM_BYTES (4ull << 20)

static bool host_disk_is_full(const struct launch *launch)
{
	struct statvfs disk;

	if (statvfs(launch->result.directory, &disk) < 0)
		return false;
	return (unsigned long long)disk.f_bavail * disk.f_frsize < NO_ROOM_BYTES;
}

static enum status host_full(const struct launch *launch, struct error *err)
{
	error_system(err, ENOSPC, launch->result.directory, "cannot keep the traces");
	return error_remedy(err, "free space, or choose another disk with -o; %u traces are kept",
			    launch->report.traces);
}

/* The last line printed by engine or job, for ends without a better explanation. */
static void last_words(const struct launch *launch, char *text, size_t size)
{
	const struct console *log = &launch->engine_log;
	size_t end = log->tail_length;

	while (end > 0 && strchr("\r\n", log->tail[end - 1]))
		end--;
	size_t begin = end;
	while (begin > 0 && log->tail[begin - 1] != '\n')
		begin--;
	escape_terminal(log->tail + begin, end - begin, text, size);
}

/* The words of malloc, mmap and the loader, in QEMU's messages. */
static bool lacks_memory(const struct launch *launch)
{
	static const char *const words[] = {"Cannot allocate memory", "failed to map segment", "out of memory"};
	const struct console *log = &launch->engine_log;

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (memmem(log->tail, log->tail_length, words[i], strlen(words[i])))
			return true;
	return false;
}

static enum status no_memory(const struct launch *launch, const char *how, struct error *err)
{
	error_system(err, ENOMEM, launch->name, "this machine has no memory for the guest%s", how);
	return error_remedy(
	    err,
	    "QEMU needs about 2 GB more than the guest's %llu MB: free memory, raise a limit (ulimit -v), "
	    "or give the guest less with --guest memory=MB",
	    (unsigned long long)launch->options->guest.memory_mb);
}

/* The kernel kills what takes the last memory of a host or of a control group. */
static enum status explain_kill(const struct launch *launch, enum status status, struct error *err)
{
	if (launch->on.engine_signal != SIGKILL)
		return status;
	return error_remedy(err, "QEMU was killed; if nobody did that, the host lacks memory: see dmesg");
}

static enum status left_early(const struct launch *launch, struct error *err)
{
	const struct supervision *on = &launch->on;
	char words[300];
	char how[400];

	/* QEMU dies if the disk has no room for the shared memory. */
	if (launch->boot.shared_memory && host_disk_is_full(launch))
		return host_full(launch, err);
	last_words(launch, words, sizeof(words));
	snprintf(how, sizeof(how), "%s%s", words[0] ? ": " : "", words);
	if (!on->said_hello && lacks_memory(launch))
		return no_memory(launch, how, err);
	if (on->said_hello && on->job_exit >= 0)
		return error_set(err, STATUS_GUEST, launch->name, "the job in the guest died with status %d%s",
				 on->job_exit, how);
	if (on->said_hello) {
		error_set(err, STATUS_GUEST, launch->name, "the guest ended before its job did%s%s",
			  on->last_sign[0] ? ", during " : "", on->last_sign[0] ? on->last_sign : how);
		return explain_kill(launch, STATUS_GUEST, err);
	}
	if (launch->console.powered_off) {
		error_set(err, STATUS_GUEST, launch->name, "the guest powered off before it could report anything");
		return error_remedy(err, "see the end of %s", launch->console.path);
	}
	error_set(err, STATUS_GUEST, launch->name, "the guest ended before it was up%s", how);
	if (launch->accelerator.accelerator == ACCELERATOR_KVM)
		error_remedy(err, "try --mode tcg");
	else
		error_remedy(err, "see %s", launch->console.path);
	return explain_kill(launch, STATUS_GUEST, err);
}

/* The problem starts with the name of the run; the command's output is in NAME.log. */
static enum status command_failed(const struct launch *launch, struct error *err)
{
	const char *problem = launch->on.problem;

	error_set(err, STATUS_GUEST, launch->name, "%s", problem[0] ? problem : "the command failed");
	if (launch->output[0])
		return error_remedy(err, "its output is in %s", launch->output);
	return err ? err->status : STATUS_GUEST;
}

static enum status job_failed(const struct launch *launch, struct error *err)
{
	const struct supervision *on = &launch->on;
	char words[300];

	if (on->job_exit == JOB_EXIT_FULL) {
		if (host_disk_is_full(launch))
			return host_full(launch, err);
		error_set(err, STATUS_GUEST, launch->name, "the guest ran out of memory: %s",
			  on->problem[0] ? on->problem : "no details reported");
		return error_remedy(err,
				    "give it more with --guest memory=MB (now %llu MB), or record less with --scale",
				    (unsigned long long)launch->options->guest.memory_mb);
	}
	if (on->job_exit == JOB_EXIT_COMMAND)
		return command_failed(launch, err);
	if (on->job_exit == JOB_EXIT_EJECTED) {
		error_set(err, STATUS_GUEST, launch->name, "%s", on->problem);
		return error_remedy(err, "its output is in %s/scheduler_run%u.log", launch->raw, launch->run);
	}
	last_words(launch, words, sizeof(words));
	return error_set(err, STATUS_GUEST, launch->name, "the job in the guest failed (status %d): %s", on->job_exit,
			 on->problem[0] ? on->problem
			 : words[0]     ? words
					: "no reason reported");
}

static enum status finished(const struct launch *launch, struct error *err)
{
	if (launch->on.job_exit != 0)
		return job_failed(launch, err);
	if (launch->report.incomplete || launch->report.refused)
		return error_set(err, STATUS_GUEST, launch->name, "%u files arrived incomplete and %u were refused: %s",
				 launch->report.incomplete, launch->report.refused, launch->report.problem);
	return STATUS_OK;
}

static enum status timed_out(const struct launch *launch, struct error *err)
{
	const struct supervision *on = &launch->on;
	const struct guest_options *guest = &launch->options->guest;
	const char *where = launch->name;
	const char *during = on->last_sign[0] ? on->last_sign : on->said_hello ? "before its first run" : "boot";

	if (on->end == GUEST_NOT_BOOTED) {
		error_set(err, STATUS_GUEST, where, "the guest did not boot within %u s",
			  launch_patience_s(launch->options, guest->boot_timeout_s));
		return error_remedy(err, "%sraise --guest boot-timeout if it is only slow",
				    launch->accelerator.accelerator == ACCELERATOR_KVM ? "try --mode tcg, or " : "");
	}
	if (on->end == GUEST_SILENT) {
		error_set(err, STATUS_GUEST, where, "the guest hangs: no output for %u s (%s)",
			  launch_patience_s(launch->options, guest->silence_timeout_s), during);
		return error_remedy(err, "raise --guest silence-timeout if it is only slow");
	}
	error_set(err, STATUS_GUEST, where, "the guest did not finish within %u s (%s)", (unsigned int)guest->timeout_s,
		  during);
	return error_remedy(err, "raise --guest timeout, or record less with --scale");
}

static enum status explain_end(const struct launch *launch, struct error *err)
{
	const struct supervision *on = &launch->on;

	switch (on->end) {
	case GUEST_DONE:
		return finished(launch, err);
	case GUEST_PANICKED:
		error_set(err, STATUS_GUEST, launch->name, "the guest's kernel panicked: %s", launch->console.panic);
		return error_remedy(err, "see %s", launch->console.path);
	case GUEST_NOT_BOOTED:
	case GUEST_SILENT:
	case GUEST_OVERTIME:
		return timed_out(launch, err);
	case GUEST_LEFT_EARLY:
		return left_early(launch, err);
	case GUEST_LEFT_SHELL:
		return STATUS_OK;
	case GUEST_INTERRUPTED:
		return interrupt_check(err);
	case GUEST_HOST_FAILED:
		if (on->host_error.errnum == ENOSPC)
			return host_full(launch, err);
		*err = on->host_error;
		return err->status;
	}
	return STATUS_OK;
}

enum status launch_outcome(const struct launch *launch, struct error *err)
{
	enum status status = explain_end(launch, err);

	if (status == STATUS_GUEST && launch->modules.assumed && launch->report.traces == 0)
		error_remedy(err,
			     "no modules were found beside the image, so all drivers were assumed to be built in; give "
			     "the modules with --guest modules=DIR");
	return status;
}
