/* SPDX-License-Identifier: MIT */
#include "base/output_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/interrupt.h"
#include "base/memory.h"
#include "base/number.h"

enum { TEMPORARIES = 1000 /* max number of names to try */ };

/* --- Names of open descriptors --- */

static bool is_standard_output(const char *path)
{
	return strcmp(path, "-") == 0 || strcmp(path, "/dev/stdout") == 0;
}

/* The number in /dev/fd/N and the like, or -1. The file that such a name leads to must not be replaced. */
static int descriptor_of(const char *path)
{
	static const char *const directories[] = {"/dev/fd/", "/proc/self/fd/"};
	uint64_t number;

	if (is_standard_output(path))
		return STDOUT_FILENO;
	if (strcmp(path, "/dev/stderr") == 0)
		return STDERR_FILENO;
	for (size_t i = 0; i < 2; i++) {
		size_t length = strlen(directories[i]);
		if (strncmp(path, directories[i], length) == 0 && number_parse_u64(path + length, &number) &&
		    number <= INT_MAX)
			return (int)number;
	}
	return -1;
}

/* --- Files that must not be replaced --- */

/* NAME.json beside NAME.dat. */
static bool is_metadata(const char *path)
{
	char trace[PATH_MAX];

	return file_name_ends(path, ".json") &&
	       snprintf(trace, sizeof(trace), "%.*s.dat", (int)(strlen(path) - strlen(".json")), path) <
		   (int)sizeof(trace) &&
	       access(trace, F_OK) == 0;
}

static bool is_directory(const char *parent, size_t length, const char *name)
{
	char path[PATH_MAX];
	struct stat info;

	return snprintf(path, sizeof(path), "%.*s%s", (int)length, parent, name) < (int)sizeof(path) &&
	       stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

/* True for vm.json beside boots/ and the records in boots/: they are the only list of the runs of a set. */
static bool is_of_set(const char *path)
{
	char real[PATH_MAX];
	const char *slash = realpath(path, real) ? strrchr(real, '/') : NULL;
	const size_t length = slash ? (size_t)(slash - real) : 0;

	if (!slash)
		return false;
	if (strcmp(slash, "/vm.json") == 0)
		return is_directory(real, length, "/boots");
	return strncmp(slash, "/run", 4) == 0 && file_name_ends(slash, ".json") && length > 6 &&
	       strncmp(slash - 6, "/boots", 6) == 0;
}

static bool is_trace(const char *path)
{
	static const char binary[] = "\x17\x08\x44tracing", text[] = "# tracer: ";
	char begin[16];
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);

	if (fd < 0)
		return false;
	ssize_t got = pread(fd, begin, sizeof(begin), 0);
	close(fd);
	return (got >= (ssize_t)sizeof(binary) - 1 && memcmp(begin, binary, sizeof(binary) - 1) == 0) ||
	       (got >= (ssize_t)sizeof(text) - 1 && memcmp(begin, text, sizeof(text) - 1) == 0);
}

enum status output_check_directory(const char *path, struct error *err)
{
	struct stat info;

	if (path[0] == '\0')
		return error_set(err, STATUS_USAGE, NULL, "the name of an output is empty: ''");
	if (descriptor_of(path) < 0 && stat(path, &info) == 0 && S_ISDIR(info.st_mode))
		return error_set(err, STATUS_USAGE, path, "is a directory, not a file");
	return STATUS_OK;
}

enum status output_check(const char *path, struct error *err)
{
	struct stat info;
	enum status status = output_check_directory(path, err);

	if (status != STATUS_OK || descriptor_of(path) >= 0 || stat(path, &info) < 0 || !S_ISREG(info.st_mode))
		return status;
	const char *what = is_metadata(path) ? "is the metadata of a run and is not replaced"
			   : is_of_set(path) ? "is a record of picknext vm and is not replaced"
			   : is_trace(path)  ? "is a trace and is not replaced"
					     : NULL;
	if (!what)
		return STATUS_OK;
	error_set(err, STATUS_USAGE, path, "%s", what);
	error_remedy(err, "choose another file, or remove this one");
	return STATUS_USAGE; /* err may be NULL */
}

enum status output_keep_old(const char *path, bool *kept, struct error *err)
{
	char old[PATH_MAX];
	struct stat existing;

	*kept = lstat(path, &existing) == 0 && S_ISREG(existing.st_mode);
	if (!*kept)
		return STATUS_OK;
	if (snprintf(old, sizeof(old), "%s.old", path) >= (int)sizeof(old))
		return error_set(err, STATUS_USAGE, path, "path is too long");
	if (rename(path, old) < 0)
		return error_system(err, errno, path, "cannot rename to %s", old);
	return STATUS_OK;
}

/* --- Two outputs --- */

/* The directory of path, and its name in it. */
static bool find_place(const char *path, struct stat *directory, const char **name)
{
	const char *slash = strrchr(path, '/');
	char parent[PATH_MAX] = ".";

	*name = slash ? slash + 1 : path;
	if (slash && (size_t)(slash - path) + 1 < sizeof(parent))
		snprintf(parent, sizeof(parent), "%.*s", slash == path ? 1 : (int)(slash - path), path);
	return stat(parent, directory) == 0;
}

static bool are_same(const char *path, const char *other)
{
	struct stat a, b;
	const char *name, *other_name;

	if (strcmp(path, other) == 0 || (is_standard_output(path) && is_standard_output(other)))
		return true;
	if (stat(path, &a) == 0 && stat(other, &b) == 0)
		return S_ISREG(a.st_mode) && a.st_dev == b.st_dev && a.st_ino == b.st_ino;
	return find_place(path, &a, &name) && find_place(other, &b, &other_name) && a.st_dev == b.st_dev &&
	       a.st_ino == b.st_ino && strcmp(name, other_name) == 0;
}

enum status output_check_pair(const char *path, const char *option, const char *other, const char *other_option,
			      struct error *err)
{
	if (!path || !other || strcmp(path, "/dev/null") == 0 || !are_same(path, other))
		return STATUS_OK;
	return error_set(err, STATUS_USAGE, path, "is the output of both %s and %s; choose two files", option,
			 other_option);
}

/* --- Streams --- */

enum status output_open_stream(const char *path, int *fd, struct error *err)
{
	struct stat info;
	int given = descriptor_of(path);

	*fd = -1;
	if (given >= 0)
		*fd = fcntl(given, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
	else if (stat(path, &info) == 0 && !S_ISREG(info.st_mode) && !S_ISDIR(info.st_mode))
		*fd = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
	else
		return STATUS_OK;
	if (*fd >= 0)
		return STATUS_OK;
	int reason = errno;
	if (reason == EINTR && interrupt_check(err) != STATUS_OK)
		return STATUS_INTERRUPTED;
	return error_system(err, reason, path, "cannot open");
}

/* --- Files --- */

enum status output_create(const char *path, char **temporary, int *fd, struct error *err)
{
	size_t size = strlen(path) + sizeof(".partial") + 8;

	*fd = -1;
	*temporary = xmalloc(size);
	/* A file of this name may belong to another process, or be left over from one that was killed. */
	for (int i = 0; i < TEMPORARIES && *fd < 0; i++) {
		snprintf(*temporary, size, i ? "%s.partial%d" : "%s.partial", path, i);
		*fd = open(*temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0666);
		if (*fd < 0 && errno != EEXIST)
			break;
	}
	if (*fd >= 0) {
		file_give_open_to_sudo_user(*fd);
		return STATUS_OK;
	}
	error_system(err, errno, *temporary, "cannot create");
	free(*temporary);
	*temporary = NULL;
	return error_remedy(err, "choose another file with -o");
}
