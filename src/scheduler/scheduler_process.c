/* SPDX-License-Identifier: MIT */
#include "scheduler/scheduler_process.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/klog.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/escape.h"
#include "base/file.h"
#include "base/interrupt.h"
#include "base/memory.h"
#include "base/own_tasks.h"
#include "scheduler/builtin_run.h"

/* A busy emulated guest took 67 s to verify a large program. */
static const double ENABLE_S = 120, END_S = 5, LAST_WORDS_S = 3;

enum { POLL_MS = 20, WORDS_SIZE = 300, LOG_READ_ALL = 3, LOG_SIZE = 10 };

/* --- The child --- */

static _Noreturn void run_builtin(const struct scheduler_spec *spec)
{
	struct error err = {0};
	char text[1024];

	interrupt_after_fork();
	enum status status = builtin_scheduler_run(spec, &err);
	if (status != STATUS_OK && status != STATUS_INTERRUPTED) {
		error_text(&err, text, sizeof(text));
		dprintf(STDERR_FILENO, "EXIT: %s\n", text);
	}
	_exit(status == STATUS_OK || status == STATUS_INTERRUPTED ? 0 : 1);
}

static _Noreturn void run_child(const struct scheduler_process *process, int output, pid_t caller)
{
	const struct scheduler_spec *spec = process->spec;
	int input = open("/dev/null", O_RDONLY);

	prctl(PR_SET_NAME, OWN_TASK_SCHEDULER);
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	if (getppid() != caller)
		_exit(1);
	setsid();
	dup2(input, STDIN_FILENO);
	dup2(output, STDOUT_FILENO);
	dup2(output, STDERR_FILENO);
	if (spec->kind == SCHEDULER_BUILTIN)
		run_builtin(spec);
	interrupt_release();
	signal(SIGPIPE, SIG_DFL);
	execvp(spec->words.items[0], spec->words.items);
	dprintf(STDERR_FILENO, "cannot run %s: %s\n", spec->words.items[0], strerror(errno));
	_exit(127);
}

/* --- Its end --- */

/* True once it has ended, or if it does not run. */
static bool has_ended(struct scheduler_process *process)
{
	if (process->pid == 0)
		return true;
	pid_t ended = waitpid(process->pid, &process->wait_status, WNOHANG);
	if (ended == 0 || (ended < 0 && errno == EINTR))
		return false;
	process->pid = 0;
	return true;
}

static bool wait_for_end(struct scheduler_process *process, double seconds)
{
	double deadline_s = clock_seconds(CLOCK_MONOTONIC) + seconds;

	while (!has_ended(process) && clock_seconds(CLOCK_MONOTONIC) < deadline_s)
		usleep(POLL_MS * 1000);
	return process->pid == 0;
}

static void wait_until_disabled(const struct scheduler_process *process)
{
	double deadline_s = clock_seconds(CLOCK_MONOTONIC) + END_S;
	struct scheduler_state now;

	do {
		scheduler_state_read(SCHED_EXT_DIRECTORY, &now);
		if (!now.state[0] || strcmp(now.state, "disabled") == 0 ||
		    now.enable_seq != process->enabled.enable_seq)
			return;
		usleep(POLL_MS * 1000);
	} while (clock_seconds(CLOCK_MONOTONIC) < deadline_s);
}

void scheduler_process_stop(struct scheduler_process *process)
{
	if (has_ended(process))
		return;
	pid_t pid = process->pid;
	kill(pid, SIGINT);
	if (!wait_for_end(process, END_S)) {
		kill(-pid, SIGKILL); /* its session, which has its number */
		wait_for_end(process, END_S);
	}
	wait_until_disabled(process);
}

/* --- Its output --- */

static void find_last_words(const struct scheduler_process *process, char *words, size_t size)
{
	struct buffer text = {0};

	words[0] = '\0';
	scheduler_output_read(process->output, process->output_begin, &text);
	scheduler_output_last_words(text.data, text.length, words, size);
	buffer_free(&text);
}

static bool find_in_kernel_log(const char *ops, char *reason, size_t size)
{
	int length = klogctl(LOG_SIZE, NULL, 0);
	char *log = length > 0 ? xmalloc((size_t)length + 1) : NULL;
	bool found = false;

	length = log ? klogctl(LOG_READ_ALL, log, length) : -1;
	if (length > 0) {
		log[length] = '\0';
		found = scheduler_find_reason(log, ops, reason, size);
	}
	free(log);
	return found;
}

static bool find_in_output(const struct scheduler_process *process, char *reason, size_t size)
{
	struct buffer text = {0};

	scheduler_output_read(process->output, process->output_begin, &text);
	bool found = scheduler_find_exit(text.data, reason, size);
	buffer_free(&text);
	return found;
}

/* The kernel's log has the same reason whether the scheduler's process ended by itself or was killed. */
void scheduler_process_explain(struct scheduler_process *process, char *reason, size_t size)
{
	char found[WORDS_SIZE] = "";

	bool ended = wait_for_end(process, LAST_WORDS_S);
	if (!find_in_kernel_log(process->enabled.ops, found, sizeof(found)) &&
	    !find_in_output(process, found, sizeof(found)))
		snprintf(found, sizeof(found), "reason unknown");
	if (ended && WIFSIGNALED(process->wait_status))
		snprintf(found, sizeof(found), "its process was killed by signal %d", WTERMSIG(process->wait_status));
	escape_line(found, strlen(found), reason, size);
}

/* --- The start --- */

static enum status refuse_end(const struct scheduler_process *process, const char *name, struct error *err)
{
	char words[WORDS_SIZE];
	int status = process->wait_status;

	find_last_words(process, words, sizeof(words));
	if (WIFSIGNALED(status))
		error_set(err, STATUS_SYSTEM, name, "was killed by signal %d before it was enabled%s%s",
			  WTERMSIG(status), words[0] ? ": " : "", words);
	else
		error_set(err, STATUS_SYSTEM, name, "ended with exit status %d before it was enabled%s%s",
			  WEXITSTATUS(status), words[0] ? ": " : "", words);
	return error_remedy(err, "its output is in %s", strrchr(process->output, '/') + 1);
}

static enum status await_enabled(struct scheduler_process *process, uint64_t sequence, const char *name,
				 struct error *err)
{
	double deadline_s = clock_seconds(CLOCK_MONOTONIC) + ENABLE_S;
	struct scheduler_state *state = &process->enabled;

	for (;;) {
		bool ended = has_ended(process);
		scheduler_state_read(SCHED_EXT_DIRECTORY, state);
		if (ended)
			return refuse_end(process, name, err);
		if (scheduler_is_enabled(state) && state->enable_seq != sequence)
			return STATUS_OK;
		if (clock_seconds(CLOCK_MONOTONIC) >= deadline_s)
			break;
		enum status status = interrupt_sleep(POLL_MS, err);
		if (status != STATUS_OK)
			return status;
	}
	return error_set(err, STATUS_SYSTEM, name, "was not enabled within %.0f s; the state of sched_ext is %s",
			 ENABLE_S, state->state);
}

static enum status fork_child(struct scheduler_process *process, struct error *err)
{
	int output = open(process->output, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0666);
	pid_t caller = getpid();

	if (output < 0)
		return error_system(err, errno, process->output, "cannot write");
	file_give_open_to_sudo_user(output);
	process->output_begin = lseek(output, 0, SEEK_END);
	pid_t pid = fork();
	if (pid == 0)
		run_child(process, output, caller);
	int failure = errno;
	close(output);
	if (pid < 0)
		return error_system(err, failure, "--scheduler", "cannot start its process");
	process->pid = pid;
	process->wait_status = 0;
	return STATUS_OK;
}

enum status scheduler_process_start(struct scheduler_process *process, struct error *err)
{
	struct scheduler_state before;
	struct buffer name = {0};

	scheduler_state_read(SCHED_EXT_DIRECTORY, &before);
	if (scheduler_is_enabled(&before)) {
		error_set(err, STATUS_SYSTEM, "--scheduler", "the scheduler %s is enabled already", before.ops);
		return error_remedy(err, "end it, or leave out --scheduler to record it");
	}
	scheduler_spec_text(process->spec, &name);
	enum status status = fork_child(process, err);
	if (status == STATUS_OK) {
		status = await_enabled(process, before.enable_seq, name.data, err);
		if (status != STATUS_OK)
			scheduler_process_stop(process);
	}
	buffer_free(&name);
	return status;
}

#define EXIT_WORD "EXIT: " /* schedulers of the kernel's source begin their last line with it */

static void read_part(int fd, off_t begin, off_t end, struct buffer *text)
{
	char bytes[4096];

	while (begin < end) {
		size_t wanted = end - begin < (off_t)sizeof(bytes) ? (size_t)(end - begin) : sizeof(bytes);
		ssize_t count = pread(fd, bytes, wanted, begin);
		if (count <= 0)
			return;
		for (ssize_t i = 0; i < count; i++)
			bytes[i] = bytes[i] ? bytes[i] : ' ';
		buffer_add(text, bytes, (size_t)count);
		begin += count;
	}
}

void scheduler_output_read(const char *path, off_t begin, struct buffer *text)
{
	struct stat info;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);

	buffer_text(text, "");
	if (fd < 0)
		return;
	if (begin >= 0 && fstat(fd, &info) == 0 && S_ISREG(info.st_mode)) {
		if (info.st_size - begin > SCHEDULER_OUTPUT_MAX)
			begin = info.st_size - SCHEDULER_OUTPUT_MAX;
		read_part(fd, begin, info.st_size, text);
	}
	close(fd);
}

void scheduler_output_last_words(const char *text, size_t length, char *words, size_t size)
{
	while (length && strchr("\r\n", text[length - 1]))
		length--;
	size_t start = length;
	while (start && text[start - 1] != '\n')
		start--;
	if (length - start > strlen(EXIT_WORD) && memcmp(text + start, EXIT_WORD, strlen(EXIT_WORD)) == 0)
		start += strlen(EXIT_WORD);
	escape_line(text + start, length - start, words, size);
}
