/* SPDX-License-Identifier: MIT */
#include "vm/launch/run_process.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/interrupt.h"
#include "vm/launch/guest_run.h"
#include "vm/launch/launch.h"
#include "vm/launch/launch_record.h"

#define TEXT_BYTES_MAX (sizeof(((struct run_message *)0)->text) - 1)
#define KIND_LINE      'l' /* no enum message_kind */

/* A message is a packet: its kind, and its text. */
static void send_packet(int channel, char kind, const char *text)
{
	char packet[TEXT_BYTES_MAX + 1];
	size_t length = strnlen(text, TEXT_BYTES_MAX);

	packet[0] = kind;
	memcpy(packet + 1, text, length);
	while (send(channel, packet, length + 1, MSG_NOSIGNAL) < 0 && errno == EINTR && !interrupt_signal())
		;
}

static void send_message(void *context, enum message_kind kind, const char *text)
{
	const int *channel = context;

	send_packet(*channel, (char)kind, text);
}

static void send_line(void *context, const struct guest_line *line)
{
	const int *channel = context;
	char text[GUEST_LINE_MAX + 2];

	guest_line_format(line, text, sizeof(text));
	send_packet(*channel, KIND_LINE, text);
}

/* The last step of a run: its files are in place. */
static void record_run(const struct launch *launch, struct run_report *report)
{
	struct error err;

	if (launch->options->shell || launch_record_run(launch, report, &err) == STATUS_OK ||
	    report->status != STATUS_OK)
		return;
	report->status = err.status;
	report->error = err;
}

/* The child got SIGTERM because its parent died. */
static void name_killed_parent(struct run_report *report)
{
	struct error *err = &report->error;

	error_set(err, STATUS_INTERRUPTED, NULL, "the picknext process that started it was killed");
	error_text(err, report->outcome.error, sizeof(report->outcome.error));
}

static void be_child(const struct launch *launch, uint32_t number, struct run_report *report, int channel, pid_t parent)
{
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	interrupt_after_fork();
	if (getppid() != parent)
		raise(SIGTERM);
	message_divert(send_message, &channel);
	guest_run_make(launch, number, &(struct run_listener){send_line, &channel}, report);
	if (report->status == STATUS_INTERRUPTED && getppid() != parent)
		name_killed_parent(report);
	record_run(launch, report);
	report->is_finished = true;
	_exit(0);
}

/* The child ends its guest and records the boot. The channel is closed first, so that its messages fail instead of
 * blocking. */
static void end_child(void *context)
{
	const struct run_process *process = context;

	close(process->channel);
	kill(process->pid, SIGTERM);
	while (waitpid(process->pid, NULL, 0) < 0 && errno == EINTR)
		;
}

enum status run_process_start(struct run_process *process, const struct launch *launch, uint32_t number,
			      struct error *err)
{
	int ends[2];
	pid_t parent = getpid();

	*process = (struct run_process){.channel = -1};
	void *shared = mmap(NULL, sizeof(struct run_report), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (shared == MAP_FAILED)
		return error_system(err, errno, launch->result.set, "cannot start a run");
	process->report = shared;
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) < 0)
		return error_system(err, errno, launch->result.set, "cannot start a run");
	fflush(NULL);
	process->pid = fork();
	if (process->pid == 0) {
		close(ends[0]);
		be_child(launch, number, process->report, ends[1], parent);
	}
	close(ends[1]);
	process->channel = ends[0];
	if (process->pid > 0) {
		cleanup_add(&process->cleanup, end_child, process);
		return STATUS_OK;
	}
	process->pid = 0;
	return error_system(err, errno, launch->result.set, "cannot start a run");
}

bool run_process_message(const struct run_process *process, struct run_message *message)
{
	char packet[TEXT_BYTES_MAX + 1];
	ssize_t got = recv(process->channel, packet, sizeof(packet), MSG_DONTWAIT);

	if (got <= 0)
		return false;
	message->kind = (enum message_kind)packet[0];
	message->is_line = packet[0] == KIND_LINE;
	snprintf(message->text, sizeof(message->text), "%.*s", (int)got - 1, packet + 1);
	if (message->is_line)
		guest_line_parse(message->text, strcspn(message->text, "\n"), &message->line);
	return true;
}

/* Fills the report of a process that died: killed from outside, or by a fault of its own. */
static void complete_report(struct run_process *process, int status)
{
	struct run_report *report = process->report;

	if (report->is_finished)
		return;
	if (WIFEXITED(status) && WEXITSTATUS(status) == EXIT_TEMPORARY)
		report->status = error_system(&report->error, ENOMEM, NULL, "the process of this run ended");
	else
		report->status =
		    error_set(&report->error, STATUS_GUEST, NULL, "the process of this run died of signal %d",
			      WIFSIGNALED(status) ? WTERMSIG(status) : 0);
	snprintf(report->outcome.end, sizeof(report->outcome.end), "host failed");
	report->outcome.job_exit = -1;
}

bool run_process_ended(struct run_process *process)
{
	int status;

	if (process->pid == 0)
		return true;
	if (waitpid(process->pid, &status, WNOHANG) != process->pid)
		return false;
	process->pid = 0;
	cleanup_remove(&process->cleanup);
	complete_report(process, status);
	return true;
}

void run_process_signal(const struct run_process *process, int number)
{
	if (process->pid > 0)
		kill(process->pid, number);
}

void run_process_free(struct run_process *process)
{
	cleanup_remove(&process->cleanup);
	if (process->pid > 0) {
		kill(process->pid, SIGKILL);
		waitpid(process->pid, NULL, 0);
	}
	if (process->channel >= 0)
		close(process->channel);
	if (process->report)
		munmap(process->report, sizeof(*process->report));
	*process = (struct run_process){.channel = -1};
}
