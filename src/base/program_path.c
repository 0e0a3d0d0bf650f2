/* SPDX-License-Identifier: MIT */
#include "base/program_path.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <unistd.h>

#define DEFAULT_PATH "/usr/local/bin:/bin:/usr/bin" /* the default of execvp(), without PATH */

bool program_can_run(const char *path)
{
	struct stat info;

	return stat(path, &info) == 0 && S_ISREG(info.st_mode) && access(path, X_OK) == 0;
}

static bool make_absolute(const char *relative, char *path, size_t size)
{
	char *real = realpath(relative, NULL);
	bool fits = real && (size_t)snprintf(path, size, "%s", real) < size;

	free(real);
	return fits && program_can_run(path);
}

bool program_find(const char *program, char *path, size_t size)
{
	const char *list = getenv("PATH");

	if (strchr(program, '/'))
		return make_absolute(program, path, size);
	for (list = list ? list : DEFAULT_PATH;; list++) {
		size_t length = strcspn(list, ":");
		int needed =
		    snprintf(path, size, "%.*s%s%s", (int)length, list, length ? "/" : "./", program); /* "" is "." */
		if (needed > 0 && (size_t)needed < size && program_can_run(path)) {
			char found[PATH_MAX];
			if (path[0] == '/')
				return true;
			snprintf(found, sizeof(found), "%s", path);
			if (make_absolute(found, path, size))
				return true;
		}
		list += length;
		if (!*list)
			return false;
	}
}

bool program_own_path(char *path, size_t size)
{
	ssize_t length = readlink("/proc/self/exe", path, size - 1);

	if (length > 0)
		path[length] = '\0';
	/* Without /proc, the kernel still hands over the path that was executed. */
	return length > 0 || make_absolute((const char *)getauxval(AT_EXECFN), path, size);
}

bool program_find_beside(const char *name, char *path, size_t size)
{
	char self[PATH_MAX];

	if (!program_own_path(self, sizeof(self)))
		return false;
	char *slash = strrchr(self, '/');
	if (!slash)
		return false;
	int needed = snprintf(path, size, "%.*s/%s", (int)(slash - self), self, name);
	return needed > 0 && (size_t)needed < size && access(path, F_OK) == 0;
}
