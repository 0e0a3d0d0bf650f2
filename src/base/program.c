/* SPDX-License-Identifier: MIT */
#include "base/program.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

#include "base/interrupt.h"
#include "base/mapping_lost.h"
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
	int reason = errno ? errno : ENOSPC; /* stdio does not keep the errno of an earlier failure */
	if (reason == EPIPE || (poll(&reader, 1, 0) == 1 && reader.revents & POLLERR))
		return 128 + SIGPIPE;
	if (reason != EINTR || interrupt_check(&err) == STATUS_OK)
		error_system(&err, reason, "standard output", "cannot write");
	if (exit_code == error_exit_code(&err)) /* the command has reported it */
		return exit_code;
	int failure = message_error(&err);
	return exit_code == 0 ? failure : exit_code;
}

/* Opens closed standard descriptors, so that no file gets their numbers and messages with them. Read-only, so that
 * writing to a closed standard output remains an error. */
static void open_standard_files(void)
{
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", O_RDONLY) < 0)
			return;
}

void program_begin(void)
{
	open_standard_files();
	/* A file that reaches ulimit -f is then an error like a full disk, with clean-up. */
	signal(SIGXFSZ, SIG_IGN);
	/* With an inherited SIG_IGN, waitpid() fails with ECHILD. */
	signal(SIGCHLD, SIG_DFL);
	mapping_lost_catch();
}
