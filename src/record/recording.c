/* SPDX-License-Identifier: MIT */
#include "record/recording.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"
#include "base/interrupt.h"
#include "base/message.h"
#include "capture/dat_file.h"
#include "record/recording_state.h"
#include "record/survey_file.h"

/* After a signal the command has OWN_END_S to end by itself, since Ctrl+C in a terminal reaches it too; then it is sent
 * the same signal, and has HANDED_ON_END_S. */
static const double OWN_END_S = 0.2, HANDED_ON_END_S = 2;

enum { PROGRESS_MS = 1000, WITHOUT_PIDFD_MS = 10 };

static double seconds_of(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static bool has_ended(struct recording *recording)
{
	if (recording->command.pid)
		return traced_command_has_ended(&recording->command);
	return recording->request->processes->count && watched_processes_are_gone(recording->request->processes);
}

/* Whether something that is waited for cannot tell of its end: kernels before 5.3. */
static bool must_look(const struct recording *recording)
{
	const struct watched_processes *processes = recording->request->processes;

	if (recording->command.pid)
		return recording->command.pidfd < 0;
	for (size_t i = 0; i < processes->count; i++)
		if (processes->pids[i] && processes->fds[i] < 0)
			return true;
	return false;
}

/* How long to sleep at most; -1: until something happens. */
static int sleep_ms(const struct recording *recording, double deadline_s)
{
	int most = message_progress_wanted() ? PROGRESS_MS : -1;

	if (recording->request->drain_ms && (most < 0 || (int)recording->request->drain_ms < most))
		most = (int)recording->request->drain_ms;
	if (must_look(recording) && (most < 0 || WITHOUT_PIDFD_MS < most))
		most = WITHOUT_PIDFD_MS;
	if (deadline_s > 0) {
		double left_ms = (deadline_s - seconds_of(CLOCK_MONOTONIC)) * 1000 + 1;
		if (left_ms < 0)
			return 0;
		if (most < 0 || left_ms < most)
			most = left_ms > 1e9 ? 1000000000 : (int)left_ms;
	}
	return most;
}

static void tell_progress(const struct recording *recording, double *told_s)
{
	double now_s = seconds_of(CLOCK_MONOTONIC);

	if (!message_progress_wanted() || now_s - *told_s < PROGRESS_MS / 1000.0)
		return;
	*told_s = now_s;
	unsigned int seconds = (unsigned int)(now_s - recording->began_s);
	message_progress("recording for %u:%02u, %llu events so far", seconds / 60, seconds % 60,
			 (unsigned long long)capture_events_so_far(recording->session));
}

/* With --flight: the last stretch so far into a file of its own, and on with an empty buffer. */
static enum status save_stretch(struct recording *recording, struct error *err)
{
	struct signalfd_siginfo info;

	if (read(recording->save_fd, &info, sizeof(info)) != (ssize_t)sizeof(info))
		return STATUS_OK;
	if (recording->request->flight_s == 0 || recording->request->to_fd >= 0) {
		message_warning("SIGUSR1 saves a stretch with --flight and the name of a file only");
		return STATUS_OK;
	}
	enum status status = capture_stop(recording->session, err);
	recording->end_s = seconds_of(CLOCK_REALTIME);
	recording->outcome->end = RECORDING_SIGNAL;
	if (status == STATUS_OK)
		status = recording_save(recording, ++recording->saved, err);
	spool_close(recording->spool);
	recording->spool = NULL;
	if (status == STATUS_OK)
		status = capture_clear(recording->session, err);
	if (status == STATUS_OK)
		status = spool_open(recording->session, recording->request->directory, &recording->spool, err);
	recording->start_s = seconds_of(CLOCK_REALTIME);
	return status == STATUS_OK ? capture_start(recording->session, err) : status;
}

/* Until what is traced has ended, a signal came (where it is to be heard), or the deadline (0: none) is over. What is
 * done meanwhile is done on the tracer's own CPU, on a timer. */
static enum status wait_until(struct recording *recording, double deadline_s, bool hear_signals, struct error *err)
{
	const struct watched_processes *processes = recording->request->processes;
	double told_s = recording->began_s;
	enum status status = STATUS_OK;

	while (status == STATUS_OK && !has_ended(recording) && !(hear_signals && interrupt_signal())) {
		struct pollfd wait[3 + OPTION_LIST_MOST] = {
		    {.fd = hear_signals ? interrupt_fd() : -1, .events = POLLIN},
		    {.fd = recording->save_fd, .events = POLLIN},
		    {.fd = recording->command.pidfd, .events = POLLIN},
		};
		if (deadline_s > 0 && seconds_of(CLOCK_MONOTONIC) >= deadline_s)
			break;
		for (size_t i = 0; i < processes->count; i++)
			wait[3 + i] = (struct pollfd){.fd = processes->fds[i], .events = POLLIN};
		int ready = poll(wait, 3 + processes->count, sleep_ms(recording, deadline_s));
		if (recording->request->drain_ms && ready == 0)
			status = spool_drain(recording->spool, err);
		if (ready > 0 && wait[1].revents && status == STATUS_OK)
			status = save_stretch(recording, err);
		tell_progress(recording, &told_s);
	}
	return status;
}

/* The command's end belongs to the recording. */
static enum status end_command(struct recording *recording, struct error *err)
{
	double now_s = seconds_of(CLOCK_MONOTONIC);
	enum status status = wait_until(recording, now_s + OWN_END_S, false, err);

	if (status != STATUS_OK || has_ended(recording))
		return status;
	kill(recording->command.pid, interrupt_signal());
	return wait_until(recording, now_s + OWN_END_S + HANDED_ON_END_S, false, err);
}

static enum recording_end why_ended(const struct recording *recording, enum status status)
{
	if (status != STATUS_OK)
		return RECORDING_FAILED;
	if (interrupt_signal())
		return RECORDING_SIGNAL;
	if (recording->command.ended)
		return RECORDING_COMMAND;
	if (recording->request->duration_s > 0 &&
	    seconds_of(CLOCK_MONOTONIC) - recording->began_s >= recording->request->duration_s)
		return RECORDING_DURATION;
	return RECORDING_PROCESSES;
}

/* Where the command may write marks of its own. */
static void tell_marker(const struct capture_session *session)
{
	char path[PATH_MAX];

	if (file_join(path, sizeof(path), capture_directory(session), "trace_marker", NULL) == STATUS_OK)
		setenv("PICKNEXT_TRACE_MARKER", path, 1);
}

/* Threads that were made while the buffer was: from now on those of listed ones are followed by the kernel. */
static enum status follow_threads(const struct recording *recording, struct error *err)
{
	enum { PASSES_MOST = 10 };
	struct watched_processes *processes = recording->request->processes;
	bool changed = processes->count > 0;
	enum status status = STATUS_OK;

	for (int pass = 0; pass < PASSES_MOST && changed && status == STATUS_OK; pass++) {
		status = watched_processes_list_again(processes, &changed, err);
		if (status == STATUS_OK && changed)
			status =
			    capture_add_tasks(recording->session, processes->threads, processes->thread_count, err);
	}
	return status;
}

static enum status open_recording(struct recording *recording, struct error *err)
{
	struct recording_request *request = recording->request;
	cpu_set_t cpus = recording->cpus.original;
	enum status status;

	for (unsigned int cpu = 0; cpu < CPU_SETSIZE; cpu++)
		if (CPU_ISSET(cpu, &recording->cpus.isolated))
			CPU_CLR(cpu, &cpus);
	if (CPU_COUNT(&cpus) == 0)
		cpus = recording->cpus.workload;
	request->settings.cpu_count = recording->cpus.count;
	request->settings.pids = request->processes->threads;
	request->settings.pid_count = request->processes->thread_count;
	status = capture_open(&request->settings, &recording->session, err);
	if (status == STATUS_OK && !survey_reads_clock(request->settings.clock))
		message_warning(SURVEY_CLOCK_WARNING, request->settings.clock);
	if (status == STATUS_OK)
		status = follow_threads(recording, err);
	if (status == STATUS_OK)
		tell_marker(recording->session);
	/* Before the spool, which raises a limit that it would inherit. */
	if (status == STATUS_OK && request->command)
		status = traced_command_prepare(request->command, &cpus, &recording->command, err);
	if (status == STATUS_OK && (request->drain_ms || request->flight_s > 0))
		status = spool_open(recording->session, request->directory, &recording->spool, err);
	return status == STATUS_OK ? interrupt_check(err) : status;
}

/* The traced window, from the first event to the last. */
static enum status record(struct recording *recording, struct error *err)
{
	struct recording_request *request = recording->request;
	enum status status = capture_start(recording->session, err);

	recording->start_s = seconds_of(CLOCK_REALTIME);
	recording->began_s = seconds_of(CLOCK_MONOTONIC);
	if (status == STATUS_OK && request->command)
		status = traced_command_start(&recording->command, err);
	if (status == STATUS_OK)
		status = wait_until(recording, request->duration_s > 0 ? recording->began_s + request->duration_s : 0,
				    true, err);
	recording->outcome->end = why_ended(recording, status);
	if (recording->outcome->end == RECORDING_SIGNAL && recording->command.pid && !recording->command.ended)
		status = end_command(recording, err);
	/* Off in any case; the first failure is the one that is told. */
	enum status stopped = capture_stop(recording->session, status == STATUS_OK ? err : NULL);
	recording->end_s = seconds_of(CLOCK_REALTIME);
	return status == STATUS_OK ? stopped : status;
}

/* What was recorded before the disk was full. */
static void keep(struct recording *recording, struct error *failure)
{
	char path[PATH_MAX];

	if (recording->spool && snprintf(path, sizeof(path), "%s.dat", recording->request->stem) < PATH_MAX)
		dat_file_keep(recording->session, recording->spool, path, failure);
}

/* A command that outlives its recording runs on undisturbed, and picknext ends with it. */
static void wait_for_command(struct recording *recording)
{
	struct traced_command *command = &recording->command;

	if (command->pid && !command->ended && command->start < 0 && !interrupt_signal())
		traced_command_wait(command);
	if (command->pid && !command->ended && command->start < 0)
		message_warning("process %ld, the command, is still running", (long)command->pid);
	if (command->ended)
		recording->outcome->command_code = traced_command_exit_code(command);
}

/* SIGUSR1 comes through a descriptor, so that none is missed between two looks. */
static enum status catch_save_signal(struct recording *recording, struct error *err)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigprocmask(SIG_BLOCK, &set, NULL);
	recording->save_fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	return recording->save_fd >= 0 ? STATUS_OK : error_system(err, errno, NULL, "cannot wait for SIGUSR1");
}

static enum status record_and_save(struct recording *recording, struct error *err)
{
	enum status status = open_recording(recording, err);
	bool opened = status == STATUS_OK;

	if (opened)
		status = record(recording, err);
	if (opened && recording_output_open(recording->request, status == STATUS_OK ? err : NULL) != STATUS_OK)
		status = STATUS_SYSTEM;
	else if (opened && status != STATUS_OK)
		keep(recording, err);
	if (status == STATUS_OK)
		status = recording_save(recording, 0, err);
	/* A command that waits for its start still has our files open, those of tracefs too. */
	if (recording->command.start >= 0)
		traced_command_close(&recording->command);
	spool_close(recording->spool);
	enum status closed = STATUS_OK;
	if (recording->session)
		closed = capture_close(recording->session, status == STATUS_OK ? err : NULL);
	return status == STATUS_OK ? closed : status;
}

enum status recording_run(struct recording_request *request, struct recording_outcome *outcome, struct error *err)
{
	struct recording recording = {
	    .request = request,
	    .outcome = outcome,
	    .command = {.start = -1, .failure = -1, .pidfd = -1},
	    .save_fd = -1,
	};
	struct error refusal = {0};
	char text[512];

	*outcome = (struct recording_outcome){.end = RECORDING_FAILED, .command_code = -1};
	enum status status = cpu_layout_read(&recording.cpus, err);
	if (status == STATUS_OK)
		status = catch_save_signal(&recording, err);
	if (status != STATUS_OK)
		return status;
	prctl(PR_SET_NAME, "picknext");
	if (cpu_layout_pin(&recording.cpus, &refusal) != STATUS_OK) {
		error_text(&refusal, text, sizeof(text));
		message_warning("%s", text);
	}
	status = record_and_save(&recording, err);
	message_progress_end();
	cpu_layout_unpin(&recording.cpus);
	wait_for_command(&recording);
	traced_command_close(&recording.command);
	close(recording.save_fd);
	if (status == STATUS_OK)
		return recording_output_copy(request, err);
	recording_output_close(request);
	return status;
}
