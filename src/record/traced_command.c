/* SPDX-License-Identifier: MIT */
#include "record/traced_command.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "base/interrupt.h"

enum { EXIT_CANNOT_RUN = 126, EXIT_NOT_FOUND = 127 };

static bool is_program(const char *path)
{
	struct stat info;

	return access(path, X_OK) == 0 && stat(path, &info) == 0 && S_ISREG(info.st_mode);
}

static bool is_in_path(const char *program)
{
	const char *list = getenv("PATH");
	char path[PATH_MAX];

	if (!list)
		list = "/usr/local/bin:/bin:/usr/bin";
	for (;; list++) {
		size_t length = strcspn(list, ":");
		int written = snprintf(path, sizeof(path), "%.*s%s%s", (int)length, list, length ? "/" : "./", program);
		if (written > 0 && written < (int)sizeof(path) && is_program(path))
			return true;
		list += length;
		if (!*list)
			return false;
	}
}

int traced_command_check(const char *program, struct error *err)
{
	if (!strchr(program, '/')) {
		if (is_in_path(program))
			return 0;
		error_set(err, STATUS_USAGE, program, "no such program in PATH");
		error_remedy(
		    err, "what follows -- is the command to trace; sudo may have changed PATH: give its whole path");
		return EXIT_NOT_FOUND;
	}
	if (is_program(program))
		return 0;
	bool exists = access(program, F_OK) == 0;
	error_system(err, exists ? EACCES : ENOENT, program, "cannot run");
	return exists ? EXIT_CANNOT_RUN : EXIT_NOT_FOUND;
}

static void enter(void *context)
{
	const cpu_set_t *cpus = context;

	(void)sched_setaffinity(0, sizeof(*cpus), cpus);
}

static bool look(struct traced_command *command, int options)
{
	if (command->pid == 0 || command->ended)
		return command->ended;
	pid_t got = waitpid(command->pid, &command->status, options);
	if (got == command->pid)
		command->ended = true;
	return command->ended;
}

bool traced_command_has_ended(struct traced_command *command)
{
	return look(command, WNOHANG);
}

void traced_command_wait(struct traced_command *command)
{
	int signal_before = interrupt_signal();

	while (command->pid && !look(command, 0) && interrupt_signal() == signal_before && errno == EINTR)
		continue;
}

int traced_command_exit_code(const struct traced_command *command)
{
	if (WIFSIGNALED(command->status))
		return 128 + WTERMSIG(command->status);
	return WEXITSTATUS(command->status);
}

void traced_command_close(struct traced_command *command)
{
	/* Without a start to read, it ends by itself. */
	if (command->start >= 0) {
		close(command->start);
		if (command->pid)
			look(command, 0);
	}
	if (command->failure >= 0)
		close(command->failure);
	if (command->pidfd >= 0)
		close(command->pidfd);
	command->start = command->failure = command->pidfd = -1;
}
