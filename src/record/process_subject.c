/* SPDX-License-Identifier: MIT */
#include "record/process_subject.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/number.h"
#include "record/host_facts.h"

/* Max number of passes over the threads. A pass that finds no new ones is the last. */
enum { PASSES_MAX = 10 };

static struct process_subject *processes_of(const struct subject *subject)
{
	return (struct process_subject *)(uintptr_t)subject;
}

static enum status add_threads(struct process_subject *processes, pid_t pid, struct error *err)
{
	char path[64];
	struct dirent *entry;

	snprintf(path, sizeof(path), "/proc/%ld/task", (long)pid);
	DIR *list = opendir(path);
	if (!list)
		return error_set(err, STATUS_USAGE, "--pid", "no such process: %ld", (long)pid);
	while ((entry = readdir(list))) {
		uint64_t thread;
		if (!number_parse_u64(entry->d_name, &thread) || thread > INT_MAX)
			continue;
		processes->threads =
		    xreallocarray(processes->threads, processes->thread_count + 1, sizeof(*processes->threads));
		processes->threads[processes->thread_count++] = (pid_t)thread;
	}
	closedir(list);
	return STATUS_OK;
}

static void name_threads(struct process_subject *processes)
{
	processes->subject.threads = processes->threads;
	processes->subject.thread_count = processes->thread_count;
}

/* Lists the current threads. *changed: the list differs from the previous one. */
static enum status list_threads(struct process_subject *processes, bool *changed, struct error *err)
{
	struct process_subject now = *processes;
	enum status status = STATUS_OK;

	now.threads = NULL;
	now.thread_count = 0;
	for (size_t i = 0; i < processes->count && status == STATUS_OK; i++) {
		status = add_threads(&now, processes->pids[i], err);
		if (status == STATUS_USAGE) /* it has ended */
			status = STATUS_OK;
	}
	*changed =
	    now.thread_count && (now.thread_count != processes->thread_count ||
				 memcmp(now.threads, processes->threads, now.thread_count * sizeof(*now.threads)) != 0);
	if (status == STATUS_OK && *changed) {
		free(processes->threads);
		*processes = now;
		name_threads(processes);
	} else {
		free(now.threads);
	}
	return status;
}

/* Adds threads created while the buffer was set up. From then on the kernel adds children of listed threads. */
static enum status prepare_processes(struct subject *subject, const struct cpu_layout *cpus,
				     const struct capture_session *session, struct error *err)
{
	struct process_subject *processes = processes_of(subject);
	bool changed = true;
	enum status status = STATUS_OK;

	(void)cpus;
	for (int pass = 0; pass < PASSES_MAX && changed && status == STATUS_OK; pass++) {
		status = list_threads(processes, &changed, err);
		if (status == STATUS_OK && changed)
			status = capture_add_tasks(session, processes->threads, processes->thread_count, err);
	}
	return status;
}

static size_t list_processes_descriptors(const struct subject *subject, struct pollfd *wait)
{
	const struct process_subject *processes = processes_of(subject);

	for (size_t i = 0; i < processes->count; i++)
		wait[i] = (struct pollfd){.fd = processes->fds[i], .events = POLLIN};
	return processes->count;
}

/* A zombie has ended too; kill() succeeds until its parent reaps it. */
static bool processes_ended(struct subject *subject)
{
	struct process_subject *processes = processes_of(subject);
	bool ended = true;

	for (size_t i = 0; i < processes->count; i++) {
		struct pollfd end = {.fd = processes->fds[i], .events = POLLIN};
		if (end.fd < 0)
			continue;
		if (poll(&end, 1, 0) <= 0) {
			ended = false;
			continue;
		}
		close(processes->fds[i]);
		processes->fds[i] = -1;
	}
	return ended;
}

static enum status add_process(struct process_subject *processes, const char *text, struct error *err)
{
	uint64_t pid;

	if (!number_parse_u64(text, &pid) || pid == 0 || pid > INT_MAX)
		return error_set(err, STATUS_USAGE, "--pid", "expected a process id, not '%s'", text);
	int fd = (int)syscall(SYS_pidfd_open, (pid_t)pid, 0);
	if (fd < 0 && errno == ESRCH)
		return error_set(err, STATUS_USAGE, "--pid", "no such process: %ld", (long)pid);
	if (fd < 0)
		return error_system(err, errno, "--pid", "cannot wait for process %ld", (long)pid);
	processes->pids[processes->count] = (pid_t)pid;
	processes->fds[processes->count++] = fd;
	return add_threads(processes, (pid_t)pid, err);
}

enum status process_subject_open(const struct option_list *list, struct process_subject *processes, struct error *err)
{
	static const struct subject_actions actions = {
	    .prepare = prepare_processes,
	    .descriptors = list_processes_descriptors,
	    .has_ended = processes_ended,
	};
	enum status status = STATUS_OK;

	*processes = (struct process_subject){.subject = {.actions = &actions}};
	if (list->count && !has_kernel_pids()) {
		error_set(err, STATUS_SYSTEM, "--pid", "the trace has other process ids than this PID namespace");
		return error_remedy(err, "run picknext outside of the container, or record all processes");
	}
	for (size_t i = 0; i < list->count && status == STATUS_OK; i++)
		status = add_process(processes, list->items[i], err);
	name_threads(processes);
	if (status != STATUS_OK)
		process_subject_close(processes);
	return status;
}

void process_subject_close(struct process_subject *processes)
{
	for (size_t i = 0; i < processes->count; i++)
		if (processes->fds[i] >= 0)
			close(processes->fds[i]);
	free(processes->threads);
	*processes = (struct process_subject){0};
}
