/* SPDX-License-Identifier: MIT */
#include "base/program.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/interrupt.h"
#include "base/memory.h"
#include "base/message.h"

/* Reports write errors of stdout, such as a full disk. On EPIPE (| head) the exit code is that of SIGPIPE, also if a
 * command ignores that signal. */
int program_finish(int exit_code)
{
	struct pollfd reader = {.fd = STDOUT_FILENO};
	struct error err = {0};
	bool failed = ferror(stdout);

	errno = 0;
	if (fflush(stdout) == 0 && !failed)
		return exit_code;
	/* stdio does not keep the errno of an earlier failure. Read-only: it was closed (open_standard_files()). */
	const bool was_closed = (fcntl(STDOUT_FILENO, F_GETFL) & O_ACCMODE) == O_RDONLY;
	int reason = errno ? errno : was_closed ? EBADF : ENOSPC;
	if (reason == EPIPE || (poll(&reader, 1, 0) == 1 && reader.revents & POLLERR))
		return 128 + SIGPIPE;
	if (reason != EINTR || interrupt_check(&err) == STATUS_OK)
		error_system(&err, reason, "standard output", "cannot write");
	if (exit_code == error_exit_code(&err)) /* the command has reported it */
		return exit_code;
	int failure = message_error(&err);
	return exit_code == 0 ? failure : exit_code;
}

/* --- Files that are truncated while they are read --- */

/* Files are read through mappings (base/file.h). If another process truncates such a file, or its disk fails, the next
 * access raises SIGBUS (mmap(2)); no function could return an error. The process then runs the registered clean-ups
 * (base/memory.h) and ends with a message that names the file. Unfinished outputs are discarded. Any other SIGBUS keeps
 * its default action. */

/* The next line of fd without its newline, cut at the size; false at the end. Reads single bytes, because the
 * interrupted code may be using stdio. */
static bool next_line(int fd, char *line, size_t size)
{
	size_t length = 0;
	char byte;

	while (read(fd, &byte, 1) == 1) {
		if (byte == '\n') {
			line[length] = 0;
			return true;
		}
		if (length < size - 1)
			line[length++] = byte;
	}
	return false;
}

/* The path of the file that is mapped at the address, from /proc/self/maps (proc_pid_maps(5)), in line; NULL if there
 * is none. */
static const char *mapped_path(uintptr_t address, char *line, size_t size)
{
	int fd = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
	const char *path = NULL;
	uintptr_t begin, end;

	while (!path && fd >= 0 && next_line(fd, line, size))
		if (sscanf(line, "%zx-%zx", &begin, &end) == 2 && address >= begin && address < end) {
			path = strchr(line, '/');
			break;
		}
	if (fd >= 0)
		close(fd);
	return path;
}

/* The access to the file itself raises SIGBUS, so the state that is used here is consistent. */
static void name_the_file(int number, siginfo_t *info, void *context)
{
	char line[4096 + 256];
	const char *path = mapped_path((uintptr_t)info->si_addr, line, sizeof(line));
	struct error err;

	(void)context;
	if (!path) {
		signal(number, SIG_DFL); /* and the access is repeated */
		return;
	}
	error_set(&err, STATUS_SYSTEM, path,
		  "cannot be read any further: another process truncated it, or its disk failed");
	error_remedy(&err, "try again when no process writes to it");
	cleanups_run();
	_exit(message_error(&err));
}

/* --- Before --- */

/* Opens closed standard descriptors, so that no other file gets their numbers and thereby messages. Read-only, so that
 * writing to a closed standard output remains an error. */
static void open_standard_files(void)
{
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", O_RDONLY) < 0)
			return;
}

/* Reserves stack for the registered clean-ups: without address space (ulimit -v) it cannot grow. The kernel keeps the
 * stack down to the page that is written here. */
static void use_stack(void)
{
	char stack[256 * 1024];

	explicit_bzero(stack, 1); /* memset() would be left out */
}

/* Not if the stack is limited to less (ulimit -s). */
static void reserve_stack(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_STACK, &limit) == 0 && limit.rlim_cur >= 512 * 1024)
		use_stack();
}

void program_begin(void)
{
	struct sigaction lost_mapping = {.sa_sigaction = name_the_file, .sa_flags = SA_SIGINFO};

	reserve_stack();
	open_standard_files();
	/* A file that reaches ulimit -f is then an error like a full disk, with clean-up. */
	signal(SIGXFSZ, SIG_IGN);
	/* With an inherited SIG_IGN, waitpid() fails with ECHILD. */
	signal(SIGCHLD, SIG_DFL);
	sigemptyset(&lost_mapping.sa_mask);
	sigaction(SIGBUS, &lost_mapping, NULL);
}
