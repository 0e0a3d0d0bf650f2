/* SPDX-License-Identifier: MIT */
#include "record/tracefs/instance.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"
#include "base/message.h"
#include "base/number.h"
#include "record/tracefs/dynamic_events.h"
#include "record/tracefs/tracefs.h"

static const char prefix[] = "picknext-";

enum status instance_remove(const char *directory, struct error *err)
{
	const struct timespec pause = {.tv_nsec = 20 * 1000 * 1000};

	/* Removing an instance also removes its events. Tracing is switched off first so that the instance records
	 * nothing during the wait. */
	tracefs_write(directory, "tracing_on", "0", NULL);
	for (int attempt = 0; rmdir(directory) < 0; attempt++) {
		if (errno == ENOENT)
			return STATUS_OK;
		if (errno != EBUSY || attempt == 100) {
			tracefs_refused(err, errno, directory, "removing an instance from");
			if (err && err->errnum == EBUSY)
				error_remedy(err, "end the process that has one of its files open, then: rmdir %.200s",
					     directory);
			return STATUS_SYSTEM;
		}
		nanosleep(&pause, NULL);
	}
	return STATUS_OK;
}

/* Serializes the picknext processes that search for stale instances, or create and lock their own. Returns a file to
 * close; -1 after a failure or a signal. */
static int take_turn(const char *tracefs)
{
	char directory[TRACEFS_PATH_SIZE];

	snprintf(directory, sizeof(directory), "%s/instances", tracefs);
	int fd = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd >= 0)
		(void)flock(fd, LOCK_EX);
	return fd;
}

static void end_turn(int turn)
{
	if (turn >= 0)
		close(turn);
}

/* Only asks (F_GETLK): locking as a test could make the lock of a starting owner fail. */
static bool is_locked(const char *directory)
{
	struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
	int fd = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	bool locked = fd >= 0 && fcntl(fd, F_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;

	if (fd >= 0)
		close(fd);
	return locked;
}

/* Also compares the name, because the process id may belong to another program by now. */
static bool is_running_picknext(uint64_t pid)
{
	char path[64];
	char name[32];

	if (pid == (uint64_t)getpid())
		return false;
	snprintf(path, sizeof(path), "/proc/%llu/comm", (unsigned long long)pid);
	return file_read_line(path, name, sizeof(name)) && strncmp(name, "picknext", 8) == 0;
}

/* Writes the directory of a picknext instance to path; false for other names. */
static bool is_ours(const char *tracefs, const char *name, char *directory, uint64_t *pid)
{
	snprintf(directory, TRACEFS_PATH_SIZE, "%s/instances/%.64s", tracefs, name);
	return strncmp(name, prefix, sizeof(prefix) - 1) == 0 && number_parse_u64(name + sizeof(prefix) - 1, pid);
}

void instance_remove_stale(const char *tracefs)
{
	char directory[TRACEFS_PATH_SIZE];
	struct dirent *entry;

	int turn = take_turn(tracefs);
	snprintf(directory, sizeof(directory), "%s/instances", tracefs);
	DIR *list = opendir(directory);
	while (list && (entry = readdir(list))) {
		uint64_t pid;
		if (!is_ours(tracefs, entry->d_name, directory, &pid) || is_running_picknext(pid) ||
		    is_locked(directory))
			continue;
		/* EBUSY: another process uses it; stop its tracing, retry, then leave it alone. */
		if (rmdir(directory) < 0 && errno == EBUSY)
			instance_remove(directory, NULL);
	}
	if (list)
		closedir(list);
	dynamic_events_remove_stale(tracefs, is_running_picknext);
	end_turn(turn);
}

/* Tries further numbers, because a process of another PID namespace may have the same PID. */
static int make_directory(const char *tracefs, char *directory, size_t size)
{
	enum { BEYOND_PIDS = 10000000 };

	for (int attempt = 0;; attempt++) {
		snprintf(directory, size, "%s/instances/%s%d", tracefs, prefix, (int)getpid() + attempt * BEYOND_PIDS);
		if (mkdir(directory, 0700) == 0)
			return 0;
		if (errno != EEXIST || attempt == 100)
			return errno;
	}
}

enum status instance_create(const char *tracefs, char *directory, size_t size, int *lock, struct error *err)
{
	/* A lock of the owner alone: an flock() would be shared by its children, such as a command that waits for its
	 * start, and would outlive a killed owner until the last of them has ended. */
	struct flock own = {.l_type = F_RDLCK, .l_whence = SEEK_SET};
	int turn = take_turn(tracefs);
	int reason = make_directory(tracefs, directory, size);
	/* Best effort: without the lock, only processes of this PID namespace can see that the owner is alive. */
	*lock = reason ? -1 : open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (*lock >= 0)
		(void)fcntl(*lock, F_SETLK, &own);
	end_turn(turn);
	if (reason == 0)
		return STATUS_OK;
	if (reason != ENOMEM)
		return tracefs_refused(err, reason, directory, "making an instance in");
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
		if (is_ours(tracefs, entry->d_name, directory, &pid) &&
		    (is_running_picknext(pid) || is_locked(directory)))
			visit(context, directory);
	}
	if (list)
		closedir(list);
}

struct marking {
	const char *text;
	unsigned int written;
	struct error failure; /* the first */
};

/* EBADF: its picknext is setting up or saving. ENODEV, ENOENT: the instance is being removed. */
static bool is_temporary(int errnum)
{
	return errnum == EBADF || errnum == ENODEV || errnum == ENOENT;
}

static void mark_instance(void *context, const char *directory)
{
	struct marking *marking = context;
	struct error failure = {0};

	if (tracefs_write(directory, "trace_marker", marking->text, &failure) == STATUS_OK) {
		marking->written++;
		message_detail("marked in %s", directory);
	} else if (marking->failure.status == STATUS_OK && !is_temporary(failure.errnum)) {
		marking->failure = failure;
	}
}

enum status instance_mark_all(const char *text, struct error *err)
{
	char tracefs[TRACEFS_PATH_SIZE];
	struct marking marking = {.text = text};
	enum status status = tracefs_find(tracefs, sizeof(tracefs), err);

	if (status != STATUS_OK)
		return status;
	instance_for_each(tracefs, mark_instance, &marking);
	if (marking.failure.status != STATUS_OK) {
		*err = marking.failure;
		return err->status;
	}
	if (marking.written)
		return STATUS_OK;
	error_set(err, STATUS_SYSTEM, "mark", "no picknext is recording");
	return error_remedy(err, "start one: picknext record -- COMMAND");
}
