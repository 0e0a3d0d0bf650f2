/* SPDX-License-Identifier: MIT */
#include "base/cache.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"

static bool is_absolute(const char *path)
{
	return path && path[0] == '/';
}

static bool find_root(char *root, size_t size)
{
	const char *cache = getenv("XDG_CACHE_HOME");
	const char *home = getenv("HOME");
	int needed = -1;

	if (is_absolute(cache))
		needed = snprintf(root, size, "%s/picknext", cache);
	else if (is_absolute(home))
		needed = snprintf(root, size, "%s/.cache/picknext", home);
	return needed > 0 && (size_t)needed < size;
}

static bool is_ours(uid_t owner)
{
	const char *sudo_user = geteuid() == 0 ? getenv("SUDO_UID") : NULL;

	return owner == 0 || owner == geteuid() || (sudo_user && owner == strtoul(sudo_user, NULL, 10));
}

static bool is_private(const char *directory)
{
	struct stat found;

	return lstat(directory, &found) == 0 && S_ISDIR(found.st_mode) && is_ours(found.st_uid) &&
	       (found.st_mode & 022) == 0;
}

static bool make_private(const char *directory)
{
	if (mkdir(directory, 0700) == 0)
		file_give_to_sudo_user(directory);
	return is_private(directory);
}

static bool make_parent(const char *root)
{
	char parent[PATH_MAX];
	const char *slash = strrchr(root, '/');

	snprintf(parent, sizeof(parent), "%.*s", slash > root ? (int)(slash - root) : 1, root);
	return file_make_directories(parent, NULL) == STATUS_OK;
}

bool cache_path(const char *name, char *path, size_t size)
{
	const char *slash = strchr(name, '/');
	char root[PATH_MAX];

	if (!find_root(root, sizeof(root)) || !make_parent(root) || !make_private(root) ||
	    file_join(path, size, root, name, NULL) != STATUS_OK)
		return false;
	if (!slash)
		return true;
	char directory[PATH_MAX];
	int length = snprintf(directory, sizeof(directory), "%s/%.*s", root, (int)(slash - name), name);
	return length < (int)sizeof(directory) && make_private(directory);
}

bool cache_find(const char *name, char *path, size_t size)
{
	char root[PATH_MAX];

	return find_root(root, sizeof(root)) && is_private(root) &&
	       file_join(path, size, root, name, NULL) == STATUS_OK && access(path, F_OK) == 0;
}

bool cache_distrusted(char *path, size_t size)
{
	if (!find_root(path, size))
		return false;
	if (access(path, R_OK | X_OK) < 0)
		return errno == EACCES;
	return !is_private(path);
}

struct json_value *cache_read(const char *name)
{
	char path[PATH_MAX];
	struct json_value *value = NULL;

	if (!cache_path(name, path, sizeof(path)) || json_read_file(path, &value, NULL) == STATUS_OK)
		return value;
	json_free(value);
	return NULL;
}

void cache_write(const char *name, const struct buffer *text)
{
	char path[PATH_MAX];

	if (cache_path(name, path, sizeof(path)))
		file_replace(path, text->data, text->length, NULL);
}
