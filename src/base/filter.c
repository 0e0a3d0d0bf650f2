/* SPDX-License-Identifier: MIT */
#include "base/filter.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/interrupt.h"

#define PIPE_PORTION   65536
#define EXIT_NOT_FOUND 127

/* The parent's ends of the pipes. */
struct filter {
	pid_t pid;
	int to, from;
};

static void close_end(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

static void execute_filter(const char *const *argv, int in, int out)
{
	int quiet = open("/dev/null", O_WRONLY | O_CLOEXEC);

	interrupt_release();
	if (dup2(in, 0) < 0 || dup2(out, 1) < 0 || (quiet >= 0 && dup2(quiet, 2) < 0))
		_exit(126);
	execvp(argv[0], (char *const *)(uintptr_t)argv);
	/* EACCES also if it is nowhere, and a directory of PATH may not be searched. */
	_exit(errno == ENOENT || errno == EACCES ? EXIT_NOT_FOUND : 126);
}

static enum status start_filter(const char *const *argv, struct filter *filter, const char *where, struct error *err)
{
	int in[2], out[2];

	if (pipe2(in, O_CLOEXEC) < 0)
		return error_system(err, errno, where, "cannot run %s", argv[0]);
	if (pipe2(out, O_CLOEXEC) < 0) {
		int reason = errno;
		close(in[0]);
		close(in[1]);
		return error_system(err, reason, where, "cannot run %s", argv[0]);
	}
	filter->pid = fork();
	if (filter->pid == 0)
		execute_filter(argv, in[0], out[1]);
	int reason = errno;
	close(in[0]);
	close(out[1]);
	filter->to = in[1];
	filter->from = out[0];
	if (filter->pid < 0) {
		close_end(&filter->to);
		close_end(&filter->from);
		return error_system(err, reason, where, "cannot run %s", argv[0]);
	}
	fcntl(filter->to, F_SETFL, O_NONBLOCK);
	return STATUS_OK;
}

/* Writes and reads in turns until the filter closes its output. */
static enum status pump_bytes(struct filter *filter, const char *bytes, size_t length, size_t limit, struct buffer *out,
			      const char *where, struct error *err)
{
	size_t begin = out->length;

	for (;;) {
		struct pollfd fds[2] = {{.fd = filter->from, .events = POLLIN}, {.fd = filter->to, .events = POLLOUT}};
		if (length == 0)
			close_end(&filter->to);
		fds[1].fd = filter->to;
		if (poll(fds, 2, -1) < 0 && errno != EINTR)
			return error_system(err, errno, where, "cannot unpack");
		if (interrupt_check(err) != STATUS_OK)
			return STATUS_INTERRUPTED;
		if (fds[1].revents) {
			ssize_t put = write(filter->to, bytes, length);
			if (put > 0) {
				bytes += put;
				length -= (size_t)put;
			} else if (put < 0 && errno != EAGAIN && errno != EINTR) {
				length = 0; /* it stopped reading; its exit status is the reason */
			}
		}
		if (!fds[0].revents)
			continue;
		char *room = buffer_reserve(out, PIPE_PORTION);
		ssize_t got = read(filter->from, room, PIPE_PORTION);
		if (got == 0)
			return STATUS_OK;
		if (got < 0 && errno != EINTR)
			return error_system(err, errno, where, "cannot unpack");
		out->length += got > 0 ? (size_t)got : 0;
		if (out->length - begin > limit)
			return error_set(err, STATUS_UNSUPPORTED, where, "unpacks to more than %zu bytes", limit);
	}
}

static const char *package_name(const char *tool)
{
	return strcmp(tool, "xz") == 0 ? "xz-utils" : tool;
}

enum status filter_through(const char *const *argv, const void *bytes, size_t length, size_t limit, struct buffer *out,
			   const char *where, struct error *err)
{
	struct filter filter = {.to = -1, .from = -1};
	enum status status = start_filter(argv, &filter, where, err);
	int result = 0;

	if (status != STATUS_OK)
		return status;
	/* The exit status of a tool that stops reading early is enough; SIGPIPE is ignored. */
	void (*before)(int) = signal(SIGPIPE, SIG_IGN);
	status = pump_bytes(&filter, bytes, length, limit, out, where, err);
	signal(SIGPIPE, before);
	close_end(&filter.to);
	close_end(&filter.from);
	if (status != STATUS_OK)
		kill(filter.pid, SIGKILL);
	while (waitpid(filter.pid, &result, 0) < 0 && errno == EINTR)
		;
	if (status != STATUS_OK)
		return status;
	/* Ctrl+C reaches the filter too, and first. */
	if ((!WIFEXITED(result) || WEXITSTATUS(result) != 0) && interrupt_check(err) != STATUS_OK)
		return STATUS_INTERRUPTED;
	if (WIFEXITED(result) && WEXITSTATUS(result) == EXIT_NOT_FOUND) {
		error_system(err, ENOENT, where, "needs the program %s", argv[0]);
		return error_remedy(err, "as root: apt-get install %s", package_name(argv[0]));
	}
	if (!WIFEXITED(result) || WEXITSTATUS(result) != 0)
		return error_set(err, STATUS_CORRUPT, where, "%s cannot unpack it", argv[0]);
	return STATUS_OK;
}
