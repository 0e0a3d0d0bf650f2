/* SPDX-License-Identifier: MIT
 *
 * Resolves --add and the command to files of the host and paths in the guest. */
#include "vm/files/guest_file_request.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/program_path.h"
#include "vm/files/guest_program.h"

#define DEPTH_MAX 64

/* --- Paths --- */

/* The path (PATH_MAX bytes) by which this process can open name. */
static bool join_base(const struct guest_files *guest_files, const char *name, char *path)
{
	bool relative = guest_files->base && name[0] != '/';
	int length = snprintf(path, PATH_MAX, "%s%s%s", relative ? guest_files->base : "", relative ? "/" : "", name);

	return length >= 0 && length < PATH_MAX;
}

static bool exists(const struct guest_files *guest_files, const char *name)
{
	char path[PATH_MAX];

	return join_base(guest_files, name, path) && access(path, F_OK) == 0;
}

/* The absolute path (PATH_MAX bytes) of name, its last part unresolved, and the path in the guest if that is another:
 * a file below the working directory is below GUEST_FILES_START there, so that the host's directory does not matter. */
static enum status resolve_path(const struct guest_files *guest_files, const char *name, char *path, char *guest,
				struct error *err)
{
	char base[PATH_MAX] = "";
	char joined[PATH_MAX];

	guest[0] = '\0';
	if (name[0] != '/' && !guest_files_find_base(guest_files, base))
		return error_system(err, errno, name, "cannot find its directory");
	if (name[0] != '/' && !guest_files->directory) {
		int put = snprintf(joined, sizeof(joined), "%s/%s", GUEST_FILES_START, name);
		if (put < 0 || put >= PATH_MAX || !guest_files_clean_path(joined, guest, false))
			return error_set(err, STATUS_USAGE, name, "path is too long");
	}
	int length = snprintf(joined, sizeof(joined), "%s/%s", base, name);
	if (length < 0 || length >= PATH_MAX)
		return error_set(err, STATUS_USAGE, name, "path is too long");
	if (guest_files_clean_path(joined, path, false))
		return STATUS_OK;
	return realpath(joined, path) ? STATUS_OK : error_system(err, errno, name, "cannot add");
}

static bool leads_out(const char *name)
{
	for (size_t span; *name; name += span + (name[span] == '/')) {
		span = strcspn(name, "/");
		if (span == 2 && memcmp(name, "..", 2) == 0)
			return true;
	}
	return false;
}

/* HOST:GUEST is split at the last colon, unless a file has that whole name. */
static const char *find_guest_part(const struct guest_files *guest_files, const char *text)
{
	const char *found = exists(guest_files, text) ? NULL : strrchr(text, ':');

	return found && found > text ? found : NULL;
}

enum status guest_files_expect(struct guest_files *guest_files, const char *text, struct error *err)
{
	char base[PATH_MAX];

	if (guest_files->directory || text[0] == '/' || !leads_out(text) || find_guest_part(guest_files, text))
		return STATUS_OK;
	if (!guest_files_find_base(guest_files, base))
		return error_system(err, errno, text, "cannot find its directory");
	guest_files->directory = xstrdup(base);
	return STATUS_OK;
}

static enum status resolve_guest_path(const char *given, const char *host, char *guest, struct error *err)
{
	char joined[PATH_MAX];
	size_t length = strlen(given);
	const char *slash = strrchr(host, '/');
	bool into = length && given[length - 1] == '/';
	int put = snprintf(joined, sizeof(joined), "%s%s", given, into && slash ? slash + 1 : "");

	if (given[0] != '/' || put < 0 || put >= PATH_MAX || !guest_files_clean_path(joined, guest, false) || !guest[0])
		return error_set(err, STATUS_USAGE, "--add",
				 "the path in the guest must start with / and have no '..', not '%s'", given);
	return STATUS_OK;
}

/* --- Files and directories --- */

/* Directories of every default PATH. */
static bool is_usual(const char *program)
{
	static const char *const usual[] = {"/usr/local/sbin/", "/usr/local/bin/", "/usr/sbin/",
					    "/usr/bin/",        "/sbin/",          "/bin/"};
	size_t length = (size_t)(strrchr(program, '/') - program) + 1;

	for (size_t i = 0; i < sizeof(usual) / sizeof(usual[0]); i++)
		if (strncmp(usual[i], program, length) == 0 && !usual[i][length])
			return true;
	return false;
}

static enum status add_file(struct guest_files *guest_files, const char *host, const char *guest, bool must,
			    struct error *err)
{
	char real[PATH_MAX];
	bool executable = guest_files_is_executable(host);
	enum status status = guest_program_add_needs(guest_files, host, must, guest != NULL, err);

	if (status != STATUS_OK)
		return status;
	if (executable && !is_usual(guest ? guest : host))
		guest_files_remember(&guest_files->programs, guest ? guest : host);
	if (!guest)
		return guest_files_place_file(guest_files, host, err);
	/* The real path, so that each file is added once. */
	return guest_files_place(guest_files, GUEST_FILE_REGULAR, guest, realpath(host, real) ? real : host, executable,
				 err);
}

static enum status add_link(struct guest_files *guest_files, const char *host, const char *guest, struct error *err)
{
	char target[PATH_MAX];
	ssize_t length = readlink(host, target, sizeof(target) - 1);

	if (length < 0)
		return error_system(err, errno, host, "cannot add");
	target[length] = '\0';
	return guest_files_place(guest_files, GUEST_FILE_LINK, guest, target, false, err);
}

/* Python modules and plugins need libraries, too. A missing library is not an error: the file that needs it may be
 * unused. */
static enum status add_file_of_directory(struct guest_files *guest_files, const char *from, const char *to,
					 bool executable, struct error *err)
{
	enum status status = guest_files_place(guest_files, GUEST_FILE_REGULAR, to, from, executable, err);

	if (status == STATUS_OK)
		guest_program_add_libraries(guest_files, from, strcmp(from, to) != 0);
	return status;
}

static int is_entry(const struct dirent *entry)
{
	return strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
}

/* Adds all of its contents unchanged: links stay links, interpreters of scripts are not added. */
static enum status add_directory(struct guest_files *guest_files, const char *host, const char *guest,
				 unsigned int depth, struct error *err)
{
	char from[PATH_MAX], to[PATH_MAX];
	struct stat info;
	struct dirent **list;
	/* Sorted, so that PATH and LD_LIBRARY_PATH in the guest do not depend on the order of the directory on disk. */
	int count = scandir(host, &list, is_entry, alphasort);

	if (count < 0)
		return error_system(err, errno, host, "cannot add");
	enum status status = guest_files_place(guest_files, GUEST_FILE_DIRECTORY, guest, "", false, err);
	if (depth == DEPTH_MAX)
		status = error_set(err, STATUS_UNSUPPORTED, host, "directories are nested too deep");
	for (int i = 0; i < count && status == STATUS_OK; i++) {
		status = file_join(from, sizeof(from), host, list[i]->d_name, err);
		if (status == STATUS_OK)
			status = file_join(to, sizeof(to), guest, list[i]->d_name, err);
		if (status != STATUS_OK || lstat(from, &info) < 0)
			continue;
		if (S_ISDIR(info.st_mode))
			status = add_directory(guest_files, from, to, depth + 1, err);
		else if (S_ISLNK(info.st_mode))
			status = add_link(guest_files, from, to, err);
		else if (S_ISREG(info.st_mode))
			status = add_file_of_directory(guest_files, from, to, info.st_mode & 0111, err);
	}
	for (int i = 0; i < count; i++)
		free(list[i]);
	free(list);
	return status;
}

static enum status report_missing(const char *name, struct error *err)
{
	error_set(err, STATUS_SYSTEM, name,
		  strchr(name, '/') ? "no such program or file" : "no such program in PATH, and no such file");
	return error_remedy(err, "give the path of a program, file or directory with --add");
}

/* A bare name is first looked up in PATH, as by a shell; with a place in the guest (file_first), as a file. Sets guest
 * as resolve_path() does. */
static enum status find_host(struct guest_files *guest_files, const char *name, bool file_first, char *host,
			     char *guest, struct error *err)
{
	char found[PATH_MAX];
	bool is_file = exists(guest_files, name);

	guest_files->is_relative = false;
	if (!strchr(name, '/') && !(file_first && is_file) && guest_program_find(name, found))
		return resolve_path(guest_files, found, host, guest, err);
	enum status status = is_file ? resolve_path(guest_files, name, host, guest, err) : report_missing(name, err);
	guest_files->is_relative = status == STATUS_OK && guest[0];
	return status;
}

enum status guest_files_add(struct guest_files *guest_files, const char *text, struct error *err)
{
	char name[PATH_MAX], host[PATH_MAX], guest[PATH_MAX];
	const char *colon = find_guest_part(guest_files, text);
	struct stat info;

	arguments_add(&guest_files->asked, "%s", text);
	int length = snprintf(name, sizeof(name), "%.*s", colon ? (int)(colon - text) : PATH_MAX, text);
	if (length <= 0 || length >= PATH_MAX)
		return error_set(err, STATUS_USAGE, "--add", "expected a program, file or directory, not '%s'", text);
	enum status status = find_host(guest_files, name, colon != NULL, host, guest, err);
	if (status == STATUS_OK && colon)
		status = resolve_guest_path(colon + 1, host, guest, err);
	if (status == STATUS_OK && stat(host, &info) < 0)
		status = error_system(err, errno, host, "cannot add");
	if (status != STATUS_OK)
		return status;
	if (S_ISDIR(info.st_mode))
		return add_directory(guest_files, host, guest[0] ? guest : host, 0, err);
	return add_file(guest_files, host, guest[0] ? guest : NULL, false, err);
}

static bool has_program(const struct guest_files *guest_files, const char *program)
{
	for (size_t i = 0; i < guest_files->count; i++) {
		const struct guest_file *item = &guest_files->items[i];
		const char *slash = strrchr(item->guest, '/');
		if (program[0] == '/' ? strcmp(item->guest, program + 1) == 0
				      : item->executable && slash && strcmp(slash + 1, program) == 0)
			return true;
	}
	return false;
}

static bool can_run(const struct guest_files *guest_files, const char *program)
{
	char path[PATH_MAX];

	if (!strchr(program, '/') && program_find(program, path, sizeof(path)))
		return true;
	return join_base(guest_files, program, path) && program_can_run(path);
}

enum status guest_files_add_program(struct guest_files *guest_files, const char *program, const char *fetched,
				    struct error *err)
{
	char text[2 * PATH_MAX];

	if (has_program(guest_files, program))
		return STATUS_OK;
	if (fetched) {
		snprintf(text, sizeof(text), "%s:/usr/bin/%s", fetched, program);
		return guest_files_add(guest_files, text, err);
	}
	if (exists(guest_files, program) && !can_run(guest_files, program)) {
		error_set(err, STATUS_SYSTEM, program, "is not an executable program");
		return error_remedy(
		    err, "put a path with spaces in quotes of its own; make a program executable with chmod +x");
	}
	return guest_files_add(guest_files, program, err);
}

enum status guest_files_add_command(struct guest_files *guest_files, const char *program, struct error *err)
{
	char host[PATH_MAX], guest[PATH_MAX];

	/* The guest has its own of these. */
	if (has_program(guest_files, program) || strcmp(program, "/bin/sh") == 0 || strcmp(program, "picknext") == 0)
		return STATUS_OK;
	if (!strchr(program, '/') && !program_find(program, host, sizeof(host))) {
		guest_files->expected = xstrdup(program);
		return STATUS_OK;
	}
	enum status status = find_host(guest_files, program, false, host, guest, err);
	return status == STATUS_OK ? add_file(guest_files, host, guest[0] ? guest : NULL, true, err) : status;
}
