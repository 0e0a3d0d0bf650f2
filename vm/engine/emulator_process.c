/* SPDX-License-Identifier: MIT */
#include "vm/engine/emulator_process.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "base/interrupt.h"
#include "vm/engine/confine.h"
#include "vm/engine/private_directory.h"

struct pipes {
	int lifeline[2], report[2], output[2], failure[2];
};

static void close_both(int ends[2])
{
	for (int i = 0; i < 2; i++) {
		if (ends[i] >= 0)
			close(ends[i]);
		ends[i] = -1;
	}
}

static void close_pipes(struct pipes *pipes)
{
	close_both(pipes->lifeline);
	close_both(pipes->report);
	close_both(pipes->output);
	close_both(pipes->failure);
}

static enum status open_pipes(struct pipes *pipes, struct error *err)
{
	*pipes = (struct pipes){{-1, -1}, {-1, -1}, {-1, -1}, {-1, -1}};
	if (pipe2(pipes->lifeline, O_CLOEXEC) == 0 && pipe2(pipes->report, O_CLOEXEC) == 0 &&
	    pipe2(pipes->output, O_CLOEXEC) == 0 && pipe2(pipes->failure, O_CLOEXEC) == 0)
		return STATUS_OK;
	int reason = errno;
	close_pipes(pipes);
	return error_system(err, reason, NULL, "cannot make a pipe");
}

/* --- In the engine's process, up to execve() --- */

static void fail_child(const struct pipes *pipes)
{
	int reason = errno;

	if (write(pipes->failure[1], &reason, sizeof(reason)) < 0)
		_exit(126);
	_exit(127);
}

/* Keeps another policy that picknext inherited, and its nice value. */
static void schedule_as_batch(void)
{
	const struct sched_param none = {0};

	/* musl's functions of these names only fail. */
	if (syscall(SYS_sched_getscheduler, 0) == SCHED_OTHER)
		syscall(SYS_sched_setscheduler, 0, SCHED_BATCH, &none);
}

static void execute(const struct pipes *pipes, const struct emulator_start *start)
{
	const struct arguments *environment = start->environment;
	sigset_t none;
	int input = open("/dev/null", O_RDONLY);

	if (input < 0 || dup2(input, 0) < 0 || dup2(pipes->output[1], 1) < 0 || dup2(pipes->output[1], 2) < 0)
		fail_child(pipes);
	if (start->working_directory && chdir(start->working_directory) < 0)
		fail_child(pipes);
	for (size_t i = 0; environment && i < environment->count; i++)
		if (putenv(environment->items[i]) != 0)
			fail_child(pipes);
	interrupt_release();
	signal(SIGCHLD, SIG_DFL);
	signal(SIGXFSZ, SIG_DFL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	if (start->batch)
		schedule_as_batch();
	confine_process();
	execv(start->arguments->items[0], start->arguments->items);
	fail_child(pipes);
}

/* --- In the guardian's process --- */

/* The guardian is a subreaper: orphaned descendants of the engine become its children. Allocates no memory. */
static void kill_children(void)
{
	char path[64], list[4096], *rest = NULL;

	snprintf(path, sizeof(path), "/proc/self/task/%d/children", getpid());
	int file = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t got = file < 0 ? 0 : read(file, list, sizeof(list) - 1);
	if (file >= 0)
		close(file);
	/* Each number is followed by a space; one at the end of the buffer may be cut. */
	while (got > 0 && list[got - 1] != ' ')
		got--;
	list[got > 0 ? got : 0] = '\0';
	for (char *word = strtok_r(list, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
		pid_t child = (pid_t)strtol(word, NULL, 10);
		if (child > 1)
			kill(child, SIGKILL);
	}
}

static void kill_all(pid_t engine, int *wait_status)
{
	kill(-engine, SIGKILL);
	/* Children of a killed process become children of this process, hence the loop. It is limited for kernels that
	 * do not list children. */
	for (int round = 0; round < 2000;) {
		int status;
		pid_t gone = waitpid(-1, &status, WNOHANG);
		if (gone < 0 && errno == ECHILD)
			return;
		if (gone == engine)
			*wait_status = status;
		if (gone > 0)
			continue;
		kill_children();
		poll(NULL, 0, 5);
		round++;
	}
}

static void ignore_signal(int number)
{
	(void)number;
}

/* Waits until the engine ends (true) or the lifeline is closed. The engine is not reaped yet: until then no other
 * process group can have its number. */
static bool watch(const struct pipes *pipes, pid_t engine)
{
	struct pollfd wait = {.fd = pipes->lifeline[0], .events = POLLIN};
	sigset_t all_but_child;
	const struct timespec second = {.tv_sec = 1};

	sigfillset(&all_but_child);
	sigdelset(&all_but_child, SIGCHLD);
	for (;;) {
		siginfo_t ended = {.si_pid = 0};
		if (waitid(P_PID, (id_t)engine, &ended, WEXITED | WNOHANG | WNOWAIT) == 0 && ended.si_pid)
			return true;
		int ready = ppoll(&wait, 1, &second, &all_but_child); /* SIGCHLD is unblocked only here */
		if (ready > 0)
			return false;
	}
}

static void be_guardian(struct pipes *pipes, const struct emulator_start *start)
{
	struct sigaction wake = {.sa_handler = ignore_signal};
	sigset_t blocked;
	int wait_status = 0;

	setsid();
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	prctl(PR_SET_NAME, "picknext-guard");
	sigfillset(&blocked);
	sigprocmask(SIG_SETMASK, &blocked, NULL);
	sigaction(SIGCHLD, &wake, NULL);
	close(pipes->lifeline[1]);
	close(pipes->report[0]);
	close(pipes->output[0]);
	pid_t engine = fork();
	if (engine == 0) {
		setsid();
		close(pipes->lifeline[0]);
		execute(pipes, start);
	}
	if (engine < 0)
		fail_child(pipes);
	close(pipes->failure[1]);
	close(pipes->output[1]);
	bool by_itself = watch(pipes, engine);
	kill_all(engine, &wait_status);
	if (by_itself && write(pipes->report[1], &wait_status, sizeof(wait_status)) < 0)
		by_itself = false;
	/* A running launcher writes a byte before it closes the lifeline; end of file alone means that it was killed.
	 */
	char byte;
	if (read(pipes->lifeline[0], &byte, 1) == 0 && start->orphan_directory)
		directory_remove_all(start->orphan_directory);
	_exit(0);
}

/* --- In the launcher --- */

static enum status check_started(struct emulator_process *process, struct pipes *pipes, const char *program,
				 struct error *err)
{
	int reason = 0;
	ssize_t got;

	close(pipes->failure[1]);
	pipes->failure[1] = -1;
	do
		got = read(pipes->failure[0], &reason, sizeof(reason));
	while (got < 0 && errno == EINTR);
	if (got != (ssize_t)sizeof(reason))
		return STATUS_OK;
	emulator_process_free(process);
	return error_system(err, reason, program, "cannot start");
}

static void stop_process(void *context)
{
	emulator_process_stop(context);
}

enum status emulator_process_start(struct emulator_process *process, const struct emulator_start *start,
				   struct error *err)
{
	struct pipes pipes;

	*process = (struct emulator_process){.lifeline = -1, .report = -1, .output = -1};
	enum status status = open_pipes(&pipes, err);
	if (status != STATUS_OK)
		return status;
	fflush(NULL);
	pid_t guardian = fork();
	if (guardian < 0) {
		int reason = errno;
		close_pipes(&pipes);
		return error_system(err, reason, start->arguments->items[0], "cannot start");
	}
	if (guardian == 0)
		be_guardian(&pipes, start);
	process->guardian = guardian;
	cleanup_add(&process->cleanup, stop_process, process);
	process->lifeline = pipes.lifeline[1];
	process->report = pipes.report[0];
	process->output = pipes.output[0];
	pipes.lifeline[1] = pipes.report[0] = pipes.output[0] = -1;
	fcntl(process->output, F_SETFL, O_NONBLOCK);
	status = check_started(process, &pipes, start->arguments->items[0], err);
	close_pipes(&pipes);
	return status;
}

bool emulator_process_ended(struct emulator_process *process)
{
	struct pollfd wait = {.fd = process->report, .events = POLLIN};

	if (process->ended || process->guardian == 0)
		return true;
	if (poll(&wait, 1, 0) <= 0)
		return false;
	process->ended = true;
	if (read(process->report, &process->wait_status, sizeof(process->wait_status)) !=
	    (ssize_t)sizeof(process->wait_status))
		process->wait_status = SIGKILL; /* the guardian itself was killed */
	return true;
}

void emulator_process_stop(struct emulator_process *process)
{
	if (process->guardian == 0)
		return;
	cleanup_remove(&process->cleanup);
	if (write(process->lifeline, "x", 1) < 0 && errno != EPIPE)
		kill(process->guardian, SIGKILL);
	while (waitpid(process->guardian, NULL, 0) < 0 && errno == EINTR)
		;
	emulator_process_ended(process);
	process->guardian = 0;
	process->ended = true;
}

void emulator_process_free(struct emulator_process *process)
{
	emulator_process_stop(process);
	int *ends[] = {&process->lifeline, &process->report, &process->output};
	for (size_t i = 0; i < 3; i++) {
		if (*ends[i] >= 0)
			close(*ends[i]);
		*ends[i] = -1;
	}
}
