/* SPDX-License-Identifier: MIT */
#include "capture/global_state.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"

enum { STATE_MOST = 1 << 20 };

static const char *const directories[] = {"/run", "/dev/shm", "/tmp"};

/* Directories that everybody may write to can hold a file of anybody's. */
static bool is_ours(int fd)
{
	struct stat info;

	return fstat(fd, &info) == 0 && S_ISREG(info.st_mode) && info.st_uid == geteuid() &&
	       (info.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

/* Its owner may have removed the file between our open and our lock. */
static bool is_still_there(int fd)
{
	struct stat info;

	return fstat(fd, &info) == 0 && info.st_nlink > 0;
}

/* Opens and locks directory's file. False where that cannot be; *busy: because a running process has it. */
static bool open_in(const char *directory, int flags, struct global_state *state, bool *busy)
{
	snprintf(state->path, sizeof(state->path), "%s/picknext-global", directory);
	for (int attempt = 0; attempt < 10; attempt++) {
		state->fd = open(state->path, flags | O_RDWR | O_CLOEXEC | O_NOFOLLOW, 0600);
		if (state->fd < 0)
			return false;
		if (!is_ours(state->fd))
			break;
		if (flock(state->fd, LOCK_EX | LOCK_NB) < 0) {
			*busy = errno == EWOULDBLOCK;
			break;
		}
		if (is_still_there(state->fd))
			return true;
		close(state->fd);
	}
	close(state->fd);
	state->fd = -1;
	return false;
}

static bool open_anywhere(int flags, struct global_state *state, bool *busy)
{
	*busy = false;
	for (size_t i = 0; i < sizeof(directories) / sizeof(directories[0]) && !*busy; i++)
		if (open_in(directories[i], flags, state, busy))
			return true;
	state->fd = -1;
	return false;
}

/* Trace settings do not outlive a boot: those of another one are worth nothing. */
static void boot_line(char *line, size_t size)
{
	char id[64] = "";

	file_read_line("/proc/sys/kernel/random/boot_id", id, sizeof(id));
	snprintf(line, size, "boot %s\n", id);
}

enum status global_state_keep(struct global_state *state, const struct buffer *text, struct error *err)
{
	char boot[80];
	bool busy;

	if (!open_anywhere(O_CREAT, state, &busy)) {
		if (!busy)
			return STATUS_OK;
		error_set(err, STATUS_SYSTEM, state->path,
			  "another picknext is recording in the machine's own trace buffer");
		return error_remedy(err, "wait until it has ended, or leave --global out");
	}
	boot_line(boot, sizeof(boot));
	enum status status =
	    ftruncate(state->fd, 0) == 0 ? STATUS_OK : error_system(err, errno, state->path, "cannot empty");
	if (status == STATUS_OK)
		status = file_write_all(state->fd, boot, strlen(boot), state->path, err);
	if (status == STATUS_OK)
		status = file_write_all(state->fd, text->data, text->length, state->path, err);
	if (status != STATUS_OK)
		global_state_drop(state);
	return status;
}

bool global_state_take_over(struct global_state *state, struct buffer *text)
{
	char boot[80];
	bool busy;

	if (!open_anywhere(0, state, &busy))
		return false;
	boot_line(boot, sizeof(boot));
	size_t start = text->length;
	if (file_read(state->path, STATE_MOST, text, NULL) == STATUS_OK &&
	    strncmp(text->data + start, boot, strlen(boot)) == 0)
		return true;
	global_state_drop(state);
	return false;
}

void global_state_drop(struct global_state *state)
{
	if (state->fd < 0)
		return;
	unlink(state->path);
	close(state->fd);
	state->fd = -1;
}
