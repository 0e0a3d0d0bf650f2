/* SPDX-License-Identifier: MIT */
#include "vm/files/guest_files.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/memory.h"

#define COUNT_MAX 200000
#define FILE_MAX  (2047u << 20)

/* Paths reserved by the guest: the kernel's file systems and the launcher's directories with all contents, other names
 * only themselves. */
static bool is_reserved(const char *guest, enum guest_file_kind kind)
{
	static const char *const whole[] = {"dev", "proc", "sys", "run", "job", "modules"};
	static const char *const single[] = {"init", "bin/busybox", "bin/picknext"};
	static const char *const directories[] = {"bin", "etc", "root", "tmp"};

	for (size_t i = 0; i < sizeof(whole) / sizeof(whole[0]); i++)
		if (strncmp(guest, whole[i], strlen(whole[i])) == 0 && strchr("/", guest[strlen(whole[i])]))
			return true;
	for (size_t i = 0; i < sizeof(single) / sizeof(single[0]); i++)
		if (strcmp(guest, single[i]) == 0)
			return true;
	for (size_t i = 0; kind != GUEST_FILE_DIRECTORY && i < sizeof(directories) / sizeof(directories[0]); i++)
		if (strcmp(guest, directories[i]) == 0)
			return true;
	return false;
}

enum status guest_files_place(struct guest_files *guest_files, enum guest_file_kind kind, const char *guest,
			      const char *from, bool executable, struct error *err)
{
	struct guest_file item = {.kind = kind, .executable = executable};

	guest += strspn(guest, "/");
	if (is_reserved(guest, kind)) {
		error_set(err, STATUS_USAGE, "--add", "%s cannot be at /%s in the guest: that path is reserved",
			  from[0] ? from : "a directory", guest);
		return error_remedy(err, "choose another path: --add HOST:GUEST");
	}
	if (guest_files->count == COUNT_MAX)
		return error_set(err, STATUS_USAGE, "--add", "more than %d files", COUNT_MAX);
	guest_files->items =
	    array_grow(guest_files->items, &guest_files->capacity, guest_files->count + 1, sizeof(*guest_files->items));
	item.guest = xstrdup(guest);
	item.from = xstrdup(from);
	guest_files->items[guest_files->count++] = item;
	return STATUS_OK;
}

bool guest_files_clean_path(const char *path, char *to, bool up)
{
	size_t used = 0;

	for (; *path; path += *path == '/') {
		size_t span = strcspn(path, "/");
		bool is_up = span == 2 && memcmp(path, "..", 2) == 0;
		if ((is_up && !up) || used + span + 2 > PATH_MAX)
			return false;
		if (is_up) {
			while (used && to[--used] != '/')
				;
		} else if (span && !(span == 1 && path[0] == '.')) {
			to[used++] = '/';
			memcpy(to + used, path, span);
			used += span;
		}
		path += span;
	}
	to[used] = '\0';
	return true;
}

bool guest_files_find_base(const struct guest_files *guest_files, char *base)
{
	return guest_files->base ? realpath(guest_files->base, base) : getcwd(base, PATH_MAX);
}

bool guest_files_is_executable(const char *path)
{
	struct stat info;

	return stat(path, &info) == 0 && (info.st_mode & 0111) != 0;
}

/* Directories of the guest are not links, so ".." (from $ORIGIN/../lib) removes the part before it. */
enum status guest_files_place_file(struct guest_files *guest_files, const char *path, struct error *err)
{
	char real[PATH_MAX], guest[PATH_MAX];
	enum status status = STATUS_OK;

	if (!realpath(path, real))
		return error_system(err, errno, path, "cannot add");
	if (!guest_files_clean_path(path, guest, true))
		return error_set(err, STATUS_USAGE, path, "path is too long");
	if (strcmp(real, guest) != 0)
		status = guest_files_place(guest_files, GUEST_FILE_LINK, guest, real, false, err);
	if (status == STATUS_OK)
		status = guest_files_place(guest_files, GUEST_FILE_REGULAR, real, real, guest_files_is_executable(real),
					   err);
	return status;
}

void guest_files_remember(struct arguments *directories, const char *file)
{
	const char *slash = strrchr(file, '/');
	size_t length = slash && slash > file ? (size_t)(slash - file) : 1;

	for (size_t i = 0; i < directories->count; i++)
		if (strncmp(directories->items[i], file, length) == 0 && !directories->items[i][length])
			return;
	arguments_add(directories, "%.*s", (int)length, file);
}

/* Like strcmp(), but the contents of a directory directly follow it. */
static int compare_paths(const char *a, const char *b)
{
	while (*a && *a == *b) {
		a++;
		b++;
	}
	int left = *a == '/' ? 1 : *a ? (unsigned char)*a + 1 : 0;
	int right = *b == '/' ? 1 : *b ? (unsigned char)*b + 1 : 0;
	return left - right;
}

static int compare(const void *a, const void *b)
{
	const struct guest_file *left = a, *right = b;
	int order = compare_paths(left->guest, right->guest);

	if (order == 0)
		order = (int)left->kind - (int)right->kind;
	return order ? order : strcmp(left->from, right->from);
}

static bool lies_below(const char *path, const char *above)
{
	size_t length = strlen(above);

	return strncmp(path, above, length) == 0 && path[length] == '/';
}

static enum status clash(const struct guest_file *a, const struct guest_file *b, struct error *err)
{
	error_set(err, STATUS_USAGE, "--add", "both %s and %s would be /%s in the guest",
		  a->from[0] ? a->from : "a directory", b->from[0] ? b->from : "a directory", b->guest);
	return error_remedy(err, "choose another path for one of them: --add HOST:GUEST");
}

static void free_item(struct guest_file *item)
{
	free(item->guest);
	free(item->from);
}

static enum status count_bytes(struct guest_files *guest_files, struct error *err)
{
	struct stat info;

	guest_files->bytes = 0;
	for (size_t i = 0; i < guest_files->count; i++) {
		const struct guest_file *item = &guest_files->items[i];
		if (item->kind != GUEST_FILE_REGULAR)
			continue;
		if (stat(item->from, &info) < 0 || access(item->from, R_OK) < 0)
			return error_system(err, errno, item->from, "cannot add");
		guest_files->bytes += (uint64_t)info.st_size;
	}
	return STATUS_OK;
}

enum status guest_files_finish(struct guest_files *guest_files, struct error *err)
{
	size_t kept = 0;

	if (guest_files->count)
		qsort(guest_files->items, guest_files->count, sizeof(*guest_files->items), compare);
	for (size_t i = 0; i < guest_files->count; i++) {
		struct guest_file *item = &guest_files->items[i];
		struct guest_file *last = kept ? &guest_files->items[kept - 1] : NULL;
		bool same = last && strcmp(last->guest, item->guest) == 0;
		if ((same && (last->kind != item->kind || strcmp(last->from, item->from) != 0)) ||
		    (last && last->kind != GUEST_FILE_DIRECTORY && lies_below(item->guest, last->guest)))
			return clash(last, item, err);
		if (same) {
			free_item(item);
			*item = (struct guest_file){0};
			continue;
		}
		struct guest_file moved = *item;
		*item = (struct guest_file){0};
		guest_files->items[kept++] = moved;
	}
	guest_files->count = kept;
	return count_bytes(guest_files, err);
}

/* Writes parent directories that were not written for the previous path. */
static void write_parents(struct cpio_writer *cpio, const char *path, const char *before)
{
	char directory[PATH_MAX];

	for (const char *slash = strchr(path, '/'); slash; slash = strchr(slash + 1, '/')) {
		size_t length = (size_t)(slash - path);
		if (length >= sizeof(directory) || (strncmp(before, path, length + 1) == 0))
			continue;
		if (strncmp(before, path, length) == 0 && !before[length])
			continue;
		snprintf(directory, sizeof(directory), "%.*s", (int)length, path);
		/* These are in the base archive and keep their modes. */
		if (strcmp(directory, "root") != 0 && strcmp(directory, "tmp") != 0)
			cpio_directory(cpio, directory, 0755);
	}
}

static enum status write_file(const struct guest_file *item, struct cpio_writer *cpio, struct error *err)
{
	struct buffer bytes = {0};
	struct error failure;
	enum status status = file_read_regular(item->from, FILE_MAX, &bytes, &failure);

	/* /proc/kmsg and trace_pipe have the mode of a regular file. */
	if (status == STATUS_SYSTEM && failure.errnum == EAGAIN) {
		error_set(&failure, STATUS_UNSUPPORTED, item->from, "not a regular file: it has no end");
		status = error_remedy(&failure, "copy what is wanted of it to a file, and add that");
	}
	if (status != STATUS_OK && err)
		*err = failure;
	if (status == STATUS_OK)
		cpio_file(cpio, item->guest, item->executable ? 0755 : 0644, bytes.data, bytes.length);
	buffer_free(&bytes);
	return status;
}

enum status guest_files_write(const struct guest_files *guest_files, struct cpio_writer *cpio, struct error *err)
{
	const char *before = "";
	enum status status = STATUS_OK;

	for (size_t i = 0; i < guest_files->count && status == STATUS_OK; i++) {
		const struct guest_file *item = &guest_files->items[i];
		write_parents(cpio, item->guest, before);
		if (item->kind == GUEST_FILE_REGULAR)
			status = write_file(item, cpio, err);
		else if (item->kind == GUEST_FILE_LINK)
			cpio_link(cpio, item->guest, item->from);
		else
			cpio_directory(cpio, item->guest, 0755);
		before = item->guest;
	}
	return status;
}

void guest_files_free(struct guest_files *guest_files)
{
	for (size_t i = 0; i < guest_files->count; i++)
		free_item(&guest_files->items[i]);
	free(guest_files->items);
	free(guest_files->directory);
	free(guest_files->machine_of);
	free(guest_files->expected);
	arguments_free(&guest_files->asked);
	arguments_free(&guest_files->programs);
	arguments_free(&guest_files->libraries);
	arguments_free(&guest_files->search.directories);
	*guest_files = (struct guest_files){0};
}
