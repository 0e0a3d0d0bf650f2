/* SPDX-License-Identifier: MIT */
#include "workloads/runner/held_command.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/interrupt.h"

/* Exit codes of shells. */
enum { EXIT_CANNOT_RUN = 126, EXIT_NOT_FOUND = 127 };

static ssize_t read_whole(int fd, void *bytes, size_t length)
{
	ssize_t got;

	do
		got = read(fd, bytes, length);
	while (got < 0 && errno == EINTR);
	return got;
}

static void reset_signals(void)
{
	sigset_t none;

	interrupt_release();
	signal(SIGUSR1, SIG_DFL);
	signal(SIGXFSZ, SIG_DFL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

static _Noreturn void run_child(char *const *arguments, int start, int failure)
{
	char go;

	/* End of file means that the parent has given up. */
	if (read_whole(start, &go, 1) != 1)
		_exit(EXIT_CANNOT_RUN);
	reset_signals();
	execvp(arguments[0], arguments);
	int reason = errno;
	if (write(failure, &reason, sizeof(reason)) < 0)
		_exit(EXIT_CANNOT_RUN);
	_exit(reason == ENOENT ? EXIT_NOT_FOUND : EXIT_CANNOT_RUN);
}

static void close_both(const int pipe_ends[2])
{
	close(pipe_ends[0]);
	close(pipe_ends[1]);
}

int held_command_prepare(char *const *arguments, void (*enter)(void *context), void *context,
			 struct held_command *command)
{
	int start[2];
	int failure[2];

	*command = HELD_COMMAND_NONE;
	if (pipe2(start, O_CLOEXEC) < 0)
		return errno;
	int reason = pipe2(failure, O_CLOEXEC) < 0 ? errno : 0;
	if (reason) {
		close_both(start);
		return reason;
	}
	pid_t pid = fork();
	reason = pid < 0 ? errno : 0;
	if (pid == 0) {
		close(start[1]);
		enter(context);
		run_child(arguments, start[0], failure[1]);
	}
	if (reason) {
		close_both(start);
		close_both(failure);
		return reason;
	}
	close(start[0]);
	close(failure[1]);
	*command = (struct held_command){.pid = pid, .start = start[1], .failure = failure[0]};
	return 0;
}

int held_command_release(struct held_command *command)
{
	int reason = write(command->start, "", 1) == 1 ? 0 : errno;

	close(command->start);
	command->start = -1;
	return reason;
}

int held_command_failure(const struct held_command *command)
{
	int reason;

	return read_whole(command->failure, &reason, sizeof(reason)) == (ssize_t)sizeof(reason) ? reason : 0;
}

void held_command_close(struct held_command *command)
{
	if (command->start >= 0)
		close(command->start);
	if (command->failure >= 0)
		close(command->failure);
	command->start = command->failure = -1;
}

int held_command_exit_code(int wait_status)
{
	return WIFSIGNALED(wait_status) ? 128 + WTERMSIG(wait_status) : WEXITSTATUS(wait_status);
}
