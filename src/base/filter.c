/* SPDX-License-Identifier: MIT */
#include "base/filter.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/interrupt.h"

#define PIPE_PORTION   65536
#define EXIT_NOT_FOUND 127
#define SHELL_SIGNAL   128  /* and the signal: the exit status of a shell whose child died */
#define MESSAGES_MAX   4096 /* the last bytes */

/* The parent's ends of the pipes. */
struct filter {
	pid_t pid;
	int to, from;
	int messages; /* its standard error, a file in memory */
};

static void close_end(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

static void execute_filter(const char *const *argv, int in, int out, int messages)
{
	interrupt_release();
	if (dup2(in, 0) < 0 || dup2(out, 1) < 0 || dup2(messages, 2) < 0)
		_exit(126);
	execvp(argv[0], (char *const *)(uintptr_t)argv);
	/* EACCES also if it is nowhere, and a directory of PATH may not be searched. */
	if (errno == ENOENT || errno == EACCES)
		_exit(EXIT_NOT_FOUND);
	dprintf(2, "%s\n", strerror(errno));
	_exit(126);
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
		execute_filter(argv, in[0], out[1], filter->messages);
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

bool filter_lacks_memory(const char *messages, size_t length)
{
	static const char *const words[] = {"Cannot allocate memory", "Resource temporarily unavailable",
					    "failed to map segment",  "out of memory",
					    "Out of memory",          "MemoryError"};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (memmem(messages, length, words[i], strlen(words[i])))
			return true;
	return false;
}

/* With a limit, a program may also die without a word, before its main() or in a script that started it. */
static bool is_killed_by_limit(int result)
{
	const int ends = WIFSIGNALED(result) ? WTERMSIG(result) : WEXITSTATUS(result) - SHELL_SIGNAL;
	struct rlimit limit;

	return (ends == SIGSEGV || ends == SIGABRT || ends == SIGBUS || ends == SIGKILL) &&
	       getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
}

static const char *package_name(const char *tool)
{
	return strcmp(tool, "xz") == 0 ? "xz-utils" : tool;
}

static enum status explain_failure(const struct filter *filter, const char *program, int result, const char *where,
				   struct error *err)
{
	char messages[MESSAGES_MAX];
	const off_t size = lseek(filter->messages, 0, SEEK_END);
	const ssize_t got =
	    pread(filter->messages, messages, sizeof(messages), size > MESSAGES_MAX ? size - MESSAGES_MAX : 0);
	const size_t length = got > 0 ? (size_t)got : 0;

	if (filter_lacks_memory(messages, length) || is_killed_by_limit(result)) {
		error_system(err, ENOMEM, where, "%s has too little memory", program);
		return error_remedy(err, "free memory, or raise a limit (ulimit -v)");
	}
	if (WIFEXITED(result) && WEXITSTATUS(result) == EXIT_NOT_FOUND) {
		error_system(err, ENOENT, where, "needs the program %s", program);
		return error_remedy(err, "as root: apt-get install %s", package_name(program));
	}
	return error_set(err, STATUS_CORRUPT, where, "%s cannot unpack it", program);
}

enum status filter_through(const char *const *argv, const void *bytes, size_t length, size_t limit, struct buffer *out,
			   const char *where, struct error *err)
{
	struct filter filter = {.to = -1, .from = -1, .messages = memfd_create("messages", MFD_CLOEXEC)};
	enum status status = start_filter(argv, &filter, where, err);
	int result = 0;

	if (status != STATUS_OK) {
		close_end(&filter.messages);
		return status;
	}
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
	/* Ctrl+C reaches the filter too, and first. */
	if (status == STATUS_OK && result != 0)
		status = interrupt_check(err);
	if (status == STATUS_OK && result != 0)
		status = explain_failure(&filter, argv[0], result, where, err);
	close_end(&filter.messages);
	return status;
}
