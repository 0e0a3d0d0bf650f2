/* SPDX-License-Identifier: MIT */
#include "vm/engine/private_directory.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define NAME_PREFIX "picknext-vm-"
#define BASE_MAX    55

static int remove_entry(const char *path, const struct stat *info, int kind, struct FTW *walk)
{
	(void)info;
	(void)kind;
	(void)walk;
	remove(path);
	return 0;
}

void directory_remove_all(const char *path)
{
	nftw(path, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
}

static bool base_is_fit(const char *path)
{
	static const char safe[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_./-";
	struct stat info;

	return path && path[0] == '/' && strlen(path) <= BASE_MAX && path[strspn(path, safe)] == '\0' &&
	       stat(path, &info) == 0 && S_ISDIR(info.st_mode) && access(path, W_OK | X_OK) == 0;
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
	if (directory->path[0] && directory->lock >= 0)
		directory_remove_all(directory->path);
	if (directory->lock >= 0)
		close(directory->lock);
	*directory = (struct private_directory){.lock = -1};
}
