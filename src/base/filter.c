/* SPDX-License-Identifier: MIT */
#include "base/filter.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "base/interrupt.h"

#define PIPE_PORTION   65536
#define EXIT_NOT_FOUND 127
#define SHELL_SIGNAL   128  /* plus the signal: exit status of a shell whose child was killed */
#define MESSAGES_MAX   4096 /* the last bytes */

struct filter {
	pid_t pid;
	int input, messages; /* files in memory: its standard input and standard error */
	int output;          /* the parent's end of a pipe */
};

static void execute_filter(const char *const *argv, int in, int out, int messages)
{
	interrupt_release();
	if (dup2(in, 0) < 0 || dup2(out, 1) < 0 || dup2(messages, 2) < 0)
		_exit(126);
	execvp(argv[0], (char *const *)(uintptr_t)argv);
	/* execvp() fails with EACCES also if the program does not exist and a directory of PATH cannot be searched. */
	if (errno == ENOENT || errno == EACCES)
		_exit(EXIT_NOT_FOUND);
	dprintf(2, "%s\n", strerror(errno));
	_exit(126);
}

static enum status start_filter(const char *const *argv, struct filter *filter, const char *where, struct error *err)
{
	int out[2];

	if (pipe2(out, O_CLOEXEC) < 0)
		return error_system(err, errno, where, "cannot run %s", argv[0]);
	filter->pid = fork();
	if (filter->pid == 0)
		execute_filter(argv, filter->input, out[1], filter->messages);
	int reason = errno;
	close(out[1]);
	filter->output = out[0];
	return filter->pid < 0 ? error_system(err, reason, where, "cannot run %s", argv[0]) : STATUS_OK;
}

static enum status read_output(const struct filter *filter, size_t limit, struct buffer *out, const char *where,
			       struct error *err)
{
	const size_t begin = out->length;

	for (;;) {
		ssize_t got = read(filter->output, buffer_reserve(out, PIPE_PORTION), PIPE_PORTION);
		const int reason = errno;
		if (interrupt_check(err) != STATUS_OK)
			return STATUS_INTERRUPTED;
		if (got == 0)
			return STATUS_OK;
		if (got < 0 && reason != EINTR)
			return error_system(err, reason, where, "cannot unpack");
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

/* With a memory limit, a program may also die without a message, before its main() or in a script that started it. */
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

/* Waits until it ends; kills it first if its output could not be read. */
static enum status end_filter(const struct filter *filter, const char *program, enum status status, const char *where,
			      struct error *err)
{
	int result = 0;

	if (status != STATUS_OK)
		kill(filter->pid, SIGKILL);
	while (waitpid(filter->pid, &result, 0) < 0 && errno == EINTR)
		;
	if (status != STATUS_OK || result == 0)
		return status;
	/* Ctrl+C reaches the filter too, and first. */
	status = interrupt_check(err);
	return status == STATUS_OK ? explain_failure(filter, program, result, where, err) : status;
}

static void close_end(int fd)
{
	if (fd >= 0)
		close(fd);
}

enum status filter_through(const char *const *argv, const void *bytes, size_t length, size_t limit, struct buffer *out,
			   const char *where, struct error *err)
{
	struct filter filter = {
	    .input = memfd_create("input", MFD_CLOEXEC),
	    .messages = memfd_create("messages", MFD_CLOEXEC),
	    .output = -1,
	};
	enum status status = file_write_all(filter.input, bytes, length, where, err);

	lseek(filter.input, 0, SEEK_SET);
	if (status == STATUS_OK)
		status = start_filter(argv, &filter, where, err);
	if (status == STATUS_OK) {
		status = read_output(&filter, limit, out, where, err);
		status = end_filter(&filter, argv[0], status, where, err);
	}
	close_end(filter.output);
	close_end(filter.input);
	close_end(filter.messages);
	return status;
}
