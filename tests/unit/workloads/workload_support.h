/* SPDX-License-Identifier: MIT
 *
 * Shared by the workload tests: requests, a whole run, and the tasks of a run in /proc. */
#ifndef TESTS_WORKLOAD_SUPPORT_H
#define TESTS_WORKLOAD_SUPPORT_H

#include <dirent.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/unit.h"
#include "workloads/runner/workload.h"
#include "workloads/table.h"

static char scratch_directory[64];

static inline int make_scratch_directory(void **state)
{
	snprintf(scratch_directory, sizeof(scratch_directory), "/var/tmp/picknext-test-XXXXXX");
	return mkdtemp(scratch_directory) ? 0 : -1;
}

static inline int remove_scratch_directory(void **state)
{
	/* Fails, and the group with it, where a workload left a file behind. */
	return rmdir(scratch_directory);
}

static inline struct workload_request request_for(const char *name, double scale)
{
	struct workload_request request = {.workload = workload_find(name), .scale = scale};

	sched_getaffinity(0, sizeof(request.cpus), &request.cpus);
	request.scratch = scratch_directory;
	return request;
}

static inline enum status run_whole(const struct workload_request *request, struct workload_result *result,
				    struct error *err)
{
	struct workload_run *run;
	enum status status = workload_prepare(request, &run, err);

	memset(result, 0, sizeof(*result));
	if (status != STATUS_OK)
		return status;
	status = workload_start(run, err);
	if (status == STATUS_OK)
		status = workload_wait(run, result, err);
	workload_end(run);
	return status;
}

/* One line of /proc/PID/task/TID/status, without its name: "S (sleeping)" for "State:". */
static inline bool thread_status(pid_t process, pid_t thread, const char *field, char *value, size_t size)
{
	char path[64];
	char line[512];
	bool found = false;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/status", process, thread);
	FILE *file = fopen(path, "r");
	while (file && !found && fgets(line, sizeof(line), file))
		found = strncmp(line, field, strlen(field)) == 0;
	if (file)
		fclose(file);
	if (!found)
		return false;
	const char *text = line + strlen(field) + strspn(line + strlen(field), " \t");
	snprintf(value, size, "%.*s", (int)strcspn(text, "\n"), text);
	return true;
}

typedef void each_thread(void *context, pid_t process, pid_t thread);

static inline void for_each_thread_of(pid_t process, each_thread *visit, void *context)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/task", process);
	DIR *threads = opendir(path);
	for (struct dirent *entry; threads && (entry = readdir(threads));)
		if (atoi(entry->d_name) > 0)
			visit(context, process, (pid_t)atoi(entry->d_name));
	if (threads)
		closedir(threads);
}

/* Every thread of every process in the process group. */
static inline void for_each_thread_in_group(pid_t group, each_thread *visit, void *context)
{
	DIR *processes = opendir("/proc");

	for (struct dirent *entry; processes && (entry = readdir(processes));) {
		pid_t process = (pid_t)atoi(entry->d_name);
		if (process > 0 && getpgid(process) == group)
			for_each_thread_of(process, visit, context);
	}
	if (processes)
		closedir(processes);
}

static inline bool group_is_gone(pid_t group)
{
	return kill(-group, 0) < 0 && errno == ESRCH;
}

#endif
