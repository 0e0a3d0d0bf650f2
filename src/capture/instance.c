/* SPDX-License-Identifier: MIT */
#include "capture/instance.h"

#include <dirent.h>
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"
#include "base/number.h"
#include "capture/tracefs.h"

static const char prefix[] = "picknext-";

enum status instance_remove(const char *directory, struct error *err)
{
	const struct timespec pause = {.tv_nsec = 20 * 1000 * 1000};

	/* An instance removes its events itself; switched off first, nothing is recorded while it waits. */
	tracefs_write(directory, "tracing_on", "0", NULL);
	for (int attempt = 0; rmdir(directory) < 0; attempt++) {
		if (errno == ENOENT)
			return STATUS_OK;
		if (errno != EBUSY || attempt == 100) {
			tracefs_refused(err, errno, directory, "removing an instance from");
			if (err && err->errnum == EBUSY)
				error_remedy(err, "something still has one of its files open; then: rmdir %.200s",
					     directory);
			return STATUS_SYSTEM;
		}
		nanosleep(&pause, NULL);
	}
	return STATUS_OK;
}

/* A process id can have gone to another program since: picknext's name tells. */
static bool is_running_picknext(uint64_t pid)
{
	char path[64];
	char name[32];

	if (pid == (uint64_t)getpid())
		return false;
	snprintf(path, sizeof(path), "/proc/%llu/comm", (unsigned long long)pid);
	return file_read_line(path, name, sizeof(name)) && strncmp(name, "picknext", 8) == 0;
}

void instance_remove_stale(const char *tracefs)
{
	char directory[TRACEFS_PATH_SIZE];
	struct dirent *entry;

	snprintf(directory, sizeof(directory), "%s/instances", tracefs);
	DIR *list = opendir(directory);
	while (list && (entry = readdir(list))) {
		uint64_t pid;
		if (strncmp(entry->d_name, prefix, sizeof(prefix) - 1) != 0 ||
		    !number_parse_u64(entry->d_name + sizeof(prefix) - 1, &pid) || is_running_picknext(pid))
			continue;
		/* One that another process still uses answers EBUSY, and is its business. */
		snprintf(directory, sizeof(directory), "%s/instances/%.64s", tracefs, entry->d_name);
		if (rmdir(directory) < 0 && errno == EBUSY)
			instance_remove(directory, NULL);
	}
	if (list)
		closedir(list);
}

enum status instance_create(const char *tracefs, char *directory, size_t size, struct error *err)
{
	if (!tracefs_has(tracefs, "instances")) {
		error_set(err, STATUS_SYSTEM, tracefs, "this kernel has no private trace instances");
		return error_remedy(err, "--global uses the machine's own trace buffer and restores its settings");
	}
	int length = snprintf(directory, size, "%s/instances/%s%d", tracefs, prefix, (int)getpid());
	if (length < 0 || (size_t)length >= size)
		return error_set(err, STATUS_USAGE, tracefs, "path is too long");
	if (mkdir(directory, 0700) == 0)
		return STATUS_OK;
	if (errno != ENOMEM)
		return tracefs_refused(err, errno, directory, "making an instance in");
	error_system(err, ENOMEM, directory, "cannot make a trace instance");
	return error_remedy(err, "free some memory first");
}

void instance_for_each(const char *tracefs, void (*visit)(void *context, const char *directory), void *context)
{
	char directory[TRACEFS_PATH_SIZE];
	struct dirent *entry;

	snprintf(directory, sizeof(directory), "%s/instances", tracefs);
	DIR *list = opendir(directory);
	while (list && (entry = readdir(list))) {
		uint64_t pid;
		if (strncmp(entry->d_name, prefix, sizeof(prefix) - 1) != 0 ||
		    !number_parse_u64(entry->d_name + sizeof(prefix) - 1, &pid) || !is_running_picknext(pid))
			continue;
		snprintf(directory, sizeof(directory), "%s/instances/%.64s", tracefs, entry->d_name);
		visit(context, directory);
	}
	if (list)
		closedir(list);
}
