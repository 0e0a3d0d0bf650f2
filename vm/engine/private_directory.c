/* SPDX-License-Identifier: MIT */
#include "vm/engine/private_directory.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define NAME_PREFIX "picknext-vm-"
#define BASE_MAX    55

/* --- Removal --- */

/* Reads a directory without opendir(), which allocates memory: removal must also work without memory. */
struct listing {
	int directory;
	long length, at;
	_Alignas(struct dirent) char entries[4096];
};

static bool is_dot(const char *name)
{
	return strcmp(name, ".") == 0 || strcmp(name, "..") == 0;
}

/* The name of the next entry; NULL after the last one. */
static const char *next_name(struct listing *listing)
{
	for (;;) {
		if (listing->at >= listing->length) {
			listing->length =
			    syscall(SYS_getdents64, listing->directory, listing->entries, sizeof(listing->entries));
			listing->at = 0;
		}
		if (listing->length <= 0)
			return NULL;
		const struct dirent *entry = (const void *)(listing->entries + listing->at);
		listing->at += entry->d_reclen;
		if (!is_dot(entry->d_name))
			return entry->d_name;
	}
}

/* Opens a directory and nothing else, also one that its owner cannot list. */
static int open_directory(int parent, const char *name)
{
	int fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	if (fd >= 0 || errno != EACCES || fchmodat(parent, name, 0700, 0) < 0)
		return fd;
	return openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

/* A guest may have used any name. */
static bool move_up(int from, const char *old_name, int top, unsigned int *moved)
{
	char name[32];
	int result;

	do {
		snprintf(name, sizeof(name), ".moved-%u", (*moved)++);
		result = renameat(from, old_name, top, name);
	} while (result < 0 && (errno == EEXIST || errno == ENOTEMPTY || errno == ENOTDIR));
	return result == 0;
}

/* Removes the entries of a directory. A subdirectory that is not empty is moved to top, with a new name. Returns how
 * many directories were left. */
static unsigned int empty_directory(int top, int fd, unsigned int *moved)
{
	struct listing list = {.directory = fd};
	unsigned int left = 0;

	for (const char *name; (name = next_name(&list));) {
		if (unlinkat(fd, name, 0) == 0 || unlinkat(fd, name, AT_REMOVEDIR) == 0)
			continue;
		/* A directory can be moved only if it is writable. */
		int inner = open_directory(fd, name);
		if (inner < 0)
			continue;
		fchmod(inner, 0700);
		close(inner);
		left += move_up(fd, name, top, moved);
	}
	close(fd);
	return left;
}

/* Empties the directories in top. Directories inside them become directories in top, so that neither the depth nor the
 * length of the paths that a guest made matters. Returns false once there are none. */
static bool empty_level(int top, unsigned int *moved)
{
	struct listing list = {.directory = openat(top, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
	unsigned int left = 0;

	for (const char *name; list.directory >= 0 && (name = next_name(&list));) {
		if (unlinkat(top, name, 0) == 0)
			continue;
		int inner = open_directory(top, name);
		if (inner < 0)
			continue;
		fchmod(inner, 0700);
		left += empty_directory(top, inner, moved);
		unlinkat(top, name, AT_REMOVEDIR);
	}
	if (list.directory >= 0)
		close(list.directory);
	return left > 0;
}

void directory_remove_all(const char *path)
{
	unsigned int moved = 0;
	int top = open_directory(AT_FDCWD, path);

	if (top < 0)
		return;
	while (empty_level(top, &moved))
		;
	close(top);
	rmdir(path);
}

/* --- The directory --- */

/* In a directory where other users can rename entries, they could replace the private directory. */
static bool is_safe_base(const struct stat *info)
{
	return S_ISDIR(info->st_mode) && (info->st_uid == geteuid() || info->st_uid == 0) &&
	       (!(info->st_mode & (S_IWGRP | S_IWOTH)) || info->st_mode & S_ISVTX);
}

static bool base_is_fit(const char *path)
{
	static const char safe[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_./-";
	struct stat info;

	return path && path[0] == '/' && strlen(path) <= BASE_MAX && path[strspn(path, safe)] == '\0' &&
	       stat(path, &info) == 0 && is_safe_base(&info) && access(path, W_OK | X_OK) == 0;
}

static const char *choose_base(void)
{
	const char *candidates[] = {getenv("XDG_RUNTIME_DIR"), getenv("TMPDIR")};

	for (size_t i = 0; i < 2; i++)
		if (base_is_fit(candidates[i]))
			return candidates[i];
	return "/tmp";
}

/* An unlocked lock file means that the owner was killed. A directory without a lock file may be in creation. */
static void remove_if_stale(const char *path)
{
	char lock_path[PATH_MAX + 8];
	struct stat info;

	if (lstat(path, &info) < 0 || !S_ISDIR(info.st_mode) || info.st_uid != geteuid())
		return;
	snprintf(lock_path, sizeof(lock_path), "%s/lock", path);
	int lock = open(lock_path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	bool stale = lock >= 0 ? flock(lock, LOCK_EX | LOCK_NB) == 0 : info.st_mtime + 3600 < time(NULL);
	if (stale)
		directory_remove_all(path);
	if (lock >= 0)
		close(lock);
}

static void remove_stale(const char *base)
{
	DIR *list = opendir(base);
	char path[PATH_MAX];

	if (!list)
		return;
	for (struct dirent *entry = readdir(list); entry; entry = readdir(list)) {
		if (strncmp(entry->d_name, NAME_PREFIX, strlen(NAME_PREFIX)) != 0)
			continue;
		snprintf(path, sizeof(path), "%s/%s", base, entry->d_name);
		remove_if_stale(path);
	}
	closedir(list);
}

void private_directory_name_only(struct private_directory *directory)
{
	*directory = (struct private_directory){.lock = -1};
	snprintf(directory->path, sizeof(directory->path), "%s/" NAME_PREFIX "XXXXXX", choose_base());
}

static void remove_directory(void *context)
{
	const struct private_directory *directory = context;

	directory_remove_all(directory->path);
}

enum status private_directory_make(struct private_directory *directory, struct error *err)
{
	char lock_path[sizeof(directory->path) + 8];
	char new_path[sizeof(directory->path) + 8];
	const char *base = choose_base();

	remove_stale(base);
	private_directory_name_only(directory);
	if (!mkdtemp(directory->path)) {
		int reason = errno;
		directory->path[0] = '\0';
		error_system(err, reason, base, "cannot make a temporary directory");
		return error_remedy(err, "set TMPDIR to a short path with room");
	}
	cleanup_add(&directory->cleanup, remove_directory, directory);
	/* The directory gets its final name once it is locked. */
	snprintf(lock_path, sizeof(lock_path), "%s/lock", directory->path);
	snprintf(new_path, sizeof(new_path), "%s/new", directory->path);
	directory->lock = open(new_path, O_RDONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (directory->lock < 0 || flock(directory->lock, LOCK_EX | LOCK_NB) < 0 || rename(new_path, lock_path) < 0) {
		error_system(err, errno, lock_path, "cannot create");
		private_directory_remove(directory);
		return STATUS_SYSTEM;
	}
	return STATUS_OK;
}

void private_directory_remove(struct private_directory *directory)
{
	cleanup_remove(&directory->cleanup);
	if (directory->path[0] && directory->lock >= 0)
		directory_remove_all(directory->path);
	if (directory->lock >= 0)
		close(directory->lock);
	*directory = (struct private_directory){.lock = -1};
}
