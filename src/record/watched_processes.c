/* SPDX-License-Identifier: MIT */
#include "record/watched_processes.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/number.h"
#include "record/host_facts.h"

static enum status add_thread(struct watched_processes *processes, pid_t thread, struct error *err)
{
	pid_t *more = realloc(processes->threads, (processes->thread_count + 1) * sizeof(*more));

	if (!more)
		return error_system(err, ENOMEM, "--pid", "cannot keep the threads");
	processes->threads = more;
	more[processes->thread_count++] = thread;
	return STATUS_OK;
}

static enum status add_threads(struct watched_processes *processes, pid_t pid, struct error *err)
{
	char path[64];
	struct dirent *entry;
	enum status status = STATUS_OK;

	snprintf(path, sizeof(path), "/proc/%ld/task", (long)pid);
	DIR *list = opendir(path);
	if (!list) {
		error_set(err, STATUS_USAGE, "--pid", "there is no process %ld", (long)pid);
		return STATUS_USAGE;
	}
	while (status == STATUS_OK && (entry = readdir(list))) {
		uint64_t thread;
		if (number_parse_u64(entry->d_name, &thread) && thread <= INT_MAX)
			status = add_thread(processes, (pid_t)thread, err);
	}
	closedir(list);
	return status;
}

enum status watched_processes_open(const struct option_list *list, struct watched_processes *processes,
				   struct error *err)
{
	enum status status = STATUS_OK;

	*processes = (struct watched_processes){0};
	if (list->count && !has_kernel_pids()) {
		error_set(err, STATUS_SYSTEM, "--pid",
			  "the kernel records by other process ids than this PID namespace has");
		return error_remedy(err, "run picknext outside of the container, or record all processes");
	}
	for (size_t i = 0; i < list->count && status == STATUS_OK; i++) {
		uint64_t pid;
		if (!number_parse_u64(list->items[i], &pid) || pid == 0 || pid > INT_MAX) {
			status =
			    error_set(err, STATUS_USAGE, "--pid", "expected a process id, not '%s'", list->items[i]);
			break;
		}
		processes->pids[processes->count] = (pid_t)pid;
		processes->fds[processes->count++] = (int)syscall(SYS_pidfd_open, (pid_t)pid, 0);
		status = add_threads(processes, (pid_t)pid, err);
	}
	if (status != STATUS_OK)
		watched_processes_close(processes);
	return status;
}

enum status watched_processes_list_again(struct watched_processes *processes, bool *changed, struct error *err)
{
	struct watched_processes now = *processes;
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
	} else {
		free(now.threads);
	}
	return status;
}

/* A zombie has ended, whenever its parent takes notice: kill() would find it until then. */
static bool is_gone(const struct watched_processes *processes, size_t i)
{
	struct pollfd ended = {.fd = processes->fds[i], .events = POLLIN};

	if (ended.fd >= 0)
		return poll(&ended, 1, 0) > 0;
	return kill(processes->pids[i], 0) < 0 && errno == ESRCH;
}

bool watched_processes_are_gone(struct watched_processes *processes)
{
	bool gone = true;

	for (size_t i = 0; i < processes->count; i++) {
		if (processes->pids[i] == 0)
			continue;
		if (!is_gone(processes, i)) {
			gone = false;
			continue;
		}
		processes->pids[i] = 0;
		if (processes->fds[i] >= 0)
			close(processes->fds[i]);
		processes->fds[i] = -1;
	}
	return gone;
}

void watched_processes_close(struct watched_processes *processes)
{
	for (size_t i = 0; i < processes->count; i++)
		if (processes->fds[i] >= 0)
			close(processes->fds[i]);
	free(processes->threads);
	*processes = (struct watched_processes){0};
}
