/* SPDX-License-Identifier: MIT */
#include "record/command_subject.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "base/interrupt.h"
#include "base/program_path.h"

/* Exit codes of shells. */
enum { EXIT_CANNOT_RUN = 126, EXIT_NOT_FOUND = 127 };

void command_subject_hash(const char *program, char text[SHA256_TEXT_SIZE])
{
	char path[PATH_MAX];
	struct error err;

	if (!program_find(program, path, sizeof(path)) || sha256_file(path, text, &err) != STATUS_OK)
		text[0] = '\0';
}

int command_subject_check(const char *program, struct error *err)
{
	char path[PATH_MAX];

	if (!strchr(program, '/')) {
		if (program_find(program, path, sizeof(path)))
			return 0;
		error_set(err, STATUS_USAGE, program, "no such program in PATH");
		error_remedy(err, "the command to trace follows --; sudo may have changed PATH: give its full path");
		return EXIT_NOT_FOUND;
	}
	if (program_can_run(program))
		return 0;
	bool exists = access(program, F_OK) == 0;
	error_system(err, exists ? EACCES : ENOENT, program, "cannot run");
	return exists ? EXIT_CANNOT_RUN : EXIT_NOT_FOUND;
}

static struct command_subject *command_of(const struct subject *subject)
{
	return (struct command_subject *)(uintptr_t)subject;
}

static void set_cpus(void *context)
{
	const cpu_set_t *cpus = context;

	(void)sched_setaffinity(0, sizeof(*cpus), cpus);
}

/* Exports the file to which the command can write marks. */
static void export_marker(const struct capture_session *session)
{
	char path[PATH_MAX];

	if (file_join(path, sizeof(path), session->directory, "trace_marker", NULL) == STATUS_OK)
		setenv("PICKNEXT_TRACE_MARKER", path, 1);
}

/* The instance cannot be removed while a child at the barrier has its files open. */
static void kill_command(void *context)
{
	const struct command_subject *command = context;

	if (!command->has_ended)
		kill(command->held.pid, command->has_started ? SIGTERM : SIGKILL);
}

static enum status prepare_command(struct subject *subject, const struct cpu_layout *layout,
				   const struct capture_session *session, struct error *err)
{
	struct command_subject *command = command_of(subject);
	cpu_set_t cpus = layout->original;

	for (unsigned int cpu = 0; cpu < CPU_SETSIZE; cpu++)
		if (CPU_ISSET(cpu, &layout->isolated))
			CPU_CLR(cpu, &cpus);
	if (CPU_COUNT(&cpus) == 0)
		cpus = layout->workload;
	if (session)
		export_marker(session);
	int reason = held_command_prepare(command->arguments, set_cpus, &cpus, &command->held);
	if (reason)
		return error_system(err, reason, command->arguments[0], "cannot create a process for it");
	cleanup_add(&command->cleanup, kill_command, command);
	command->pidfd = (int)syscall(SYS_pidfd_open, command->held.pid, 0);
	return command->pidfd >= 0 ? STATUS_OK : error_system(err, errno, command->arguments[0], "cannot wait for it");
}

/* True once it is reaped. */
static bool reap(struct command_subject *command, int options)
{
	if (command->held.pid && !command->has_ended)
		command->has_ended = waitpid(command->held.pid, &command->wait_status, options) == command->held.pid;
	return command->has_ended;
}

static enum status start_command(struct subject *subject, struct error *err)
{
	struct command_subject *command = command_of(subject);
	int reason = held_command_release(&command->held);

	command->has_started = true;
	if (reason)
		return error_system(err, reason, command->arguments[0], "cannot start it");
	reason = held_command_failure(&command->held);
	if (!reason)
		return STATUS_OK;
	command_subject_wait(command);
	return error_system(err, reason, command->arguments[0], "cannot run it");
}

static size_t list_command_descriptors(const struct subject *subject, struct pollfd *wait)
{
	wait[0] = (struct pollfd){.fd = command_of(subject)->pidfd, .events = POLLIN};
	return 1;
}

static bool command_ended(struct subject *subject)
{
	return reap(command_of(subject), WNOHANG);
}

static void signal_command(struct subject *subject, int number)
{
	kill(command_of(subject)->held.pid, number);
}

/* A command at the barrier still has files of picknext open, including those of tracefs. */
static void end_command(struct subject *subject)
{
	struct command_subject *command = command_of(subject);

	if (command->has_started)
		return;
	held_command_close(&command->held);
	reap(command, 0);
}

void command_subject_make(struct command_subject *subject, char **arguments)
{
	static const struct subject_actions actions = {
	    .prepare = prepare_command,
	    .start = start_command,
	    .descriptors = list_command_descriptors,
	    .has_ended = command_ended,
	    .pass_signal = signal_command,
	    .end = end_command,
	};

	*subject = (struct command_subject){
	    .subject = {.actions = &actions},
	    .arguments = arguments,
	    .held = HELD_COMMAND_NONE,
	    .pidfd = -1,
	};
}

void command_subject_wait(struct command_subject *subject)
{
	int signal_before = interrupt_signal();

	while (subject->held.pid && !reap(subject, 0) && interrupt_signal() == signal_before && errno == EINTR)
		continue;
}

int command_subject_exit_code(const struct command_subject *subject)
{
	return held_command_exit_code(subject->wait_status);
}

void command_subject_close(struct command_subject *subject)
{
	cleanup_remove(&subject->cleanup);
	held_command_close(&subject->held);
	if (subject->pidfd >= 0)
		close(subject->pidfd);
	subject->pidfd = -1;
}
