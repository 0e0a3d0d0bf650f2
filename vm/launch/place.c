/* SPDX-License-Identifier: MIT */
#include "vm/launch/place.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/escape.h"
#include "base/file.h"
#include "base/memory.h"
#include "vm/protocol/crc32c.h"
#include "vm/protocol/transfer.h"

#define INCOMPLETE ".incomplete"

enum status transfer_place_open(struct transfer_place *place, const char *directory,
				const struct transfer_limits *limits, struct error *err)
{
	*place = (struct transfer_place){.limits = *limits, .fd = -1};
	place->directory = xstrdup(directory);
	place->names = xcalloc(limits->files, sizeof(*place->names));
	place->block = xmalloc(TRANSFER_BLOCK);
	place->fd = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (place->fd < 0) {
		int reason = errno;
		transfer_place_close(place);
		return error_system(err, reason, directory, "cannot open directory");
	}
	return STATUS_OK;
}

void transfer_place_close(struct transfer_place *place)
{
	if (place->fd >= 0)
		close(place->fd);
	for (unsigned int i = 0; place->names && i < place->files; i++)
		free(place->names[i]);
	free(place->names);
	free(place->directory);
	free(place->block);
	*place = (struct transfer_place){.fd = -1};
}

void transfer_place_problem(struct transfer_place *place, const char *format, ...)
{
	char text[sizeof(place->report.problem)];
	va_list args;

	if (place->report.problem[0])
		return;
	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	escape_terminal(text, strlen(text), place->report.problem, sizeof(place->report.problem));
}

static bool is_new(const struct transfer_place *place, const char *name, size_t length)
{
	for (unsigned int i = 0; i < place->files; i++)
		if (strlen(place->names[i]) == length && memcmp(place->names[i], name, length) == 0)
			return false;
	return true;
}

bool transfer_place_admits(struct transfer_place *place, const char *name, size_t length, uint64_t size)
{
	int shown = length < 64 ? (int)length : 64;

	if (!transfer_name_is_safe(name, length))
		transfer_place_problem(place, "the guest sent a file with a forbidden name: '%.*s'", shown, name);
	else if (!is_new(place, name, length))
		transfer_place_problem(place, "the guest sent %.*s twice", shown, name);
	else if (size > place->limits.file_bytes || size > place->limits.total_bytes - place->total_bytes)
		transfer_place_problem(place, "the guest sent %.*s of %llu bytes, which is too large", shown, name,
				       (unsigned long long)size);
	else if (place->files >= place->limits.files)
		transfer_place_problem(place, "the guest sent more than %u files", place->limits.files);
	else {
		place->names[place->files++] = xstrndup(name, length);
		place->total_bytes += size;
		return true;
	}
	return false;
}

static void incomplete_name(const char *name, char *to, size_t size)
{
	snprintf(to, size, "%s%s", name, INCOMPLETE);
}

enum status transfer_place_create(struct transfer_place *place, const char *name, int *file, struct error *err)
{
	char temporary[NAME_MAX + 1];

	incomplete_name(name, temporary, sizeof(temporary));
	/* Removes the one of an earlier run; if it is not a file, opening fails. */
	if (unlinkat(place->fd, temporary, 0) < 0 && errno != ENOENT)
		return error_system(err, errno, place->directory, "cannot replace %s", temporary);
	*file = openat(place->fd, temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
	if (*file < 0)
		return error_system(err, errno, place->directory, "cannot create %s", temporary);
	return STATUS_OK;
}

static bool is_zero(const char *bytes, size_t length)
{
	return length == 0 || (bytes[0] == 0 && memcmp(bytes, bytes + 1, length - 1) == 0);
}

/* A block of zeros becomes a hole, so that a sparse file of a guest cannot fill the host's disk. */
static enum status write_block(const struct transfer_place *place, int file, size_t length, struct error *err)
{
	if (!is_zero(place->block, length))
		return file_write_all(file, place->block, length, place->directory, err);
	if (lseek(file, (off_t)length, SEEK_CUR) < 0)
		return error_system(err, errno, place->directory, "cannot write");
	return STATUS_OK;
}

enum status transfer_place_copy(struct transfer_place *place, const char *name, int from, int file, uint64_t size,
				struct transfer_copied *copied, struct error *err)
{
	*copied = (struct transfer_copied){0};
	while (copied->size < size) {
		const uint64_t left = size - copied->size;
		ssize_t got = read(from, place->block, left < TRANSFER_BLOCK ? (size_t)left : TRANSFER_BLOCK);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return error_system(err, errno, name, "cannot read what the guest sent");
		if (got == 0)
			break;
		enum status status = write_block(place, file, (size_t)got, err);
		if (status != STATUS_OK)
			return status;
		copied->checksum = crc32c(copied->checksum, place->block, (size_t)got);
		copied->size += (uint64_t)got;
	}
	if (ftruncate(file, (off_t)copied->size) < 0)
		return error_system(err, errno, place->directory, "cannot write");
	return STATUS_OK;
}

/* The names are looked up in the open directory, whatever is at its path now. */
static enum status put_in_place(const struct transfer_place *place, const char *temporary, const char *name,
				struct error *err)
{
	char from[PATH_MAX], to[PATH_MAX];

	snprintf(from, sizeof(from), "/proc/self/fd/%d/%s", place->fd, temporary);
	snprintf(to, sizeof(to), "/proc/self/fd/%d/%s", place->fd, name);
	if (rename(from, to) == 0)
		return STATUS_OK;
	return error_system(err, errno, place->directory, "cannot replace %s", name);
}

enum status transfer_place_finish(struct transfer_place *place, const char *name, int file, bool whole, uint64_t size,
				  struct error *err)
{
	char temporary[NAME_MAX + 1], path[PATH_MAX];

	incomplete_name(name, temporary, sizeof(temporary));
	if (close(file) < 0)
		return error_system(err, errno, place->directory, "cannot write %s", temporary);
	enum status status = whole ? put_in_place(place, temporary, name, err) : STATUS_OK;
	if (status != STATUS_OK)
		return status;
	if (file_join(path, sizeof(path), place->directory, whole ? name : temporary, NULL) == STATUS_OK)
		file_give_to_sudo_user(path);
	if (!whole) {
		place->report.incomplete++;
		return STATUS_OK;
	}
	place->report.whole++;
	place->report.bytes += size;
	place->report.traces += transfer_is_trace(name, strlen(name)) ? 1 : 0;
	return STATUS_OK;
}

static enum status sync_file(const char *path, struct error *err)
{
	int fd = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	int failed = fd < 0 || (fsync(fd) < 0 && errno != EINVAL && errno != ENOTSUP);
	int reason = errno;

	if (fd >= 0)
		close(fd);
	return failed ? error_system(err, reason, path, "cannot write") : STATUS_OK;
}

static enum status move_file(const char *from, const char *name, const char *to, int to_fd, struct error *err)
{
	char source[PATH_MAX], target[PATH_MAX];
	enum status status = file_join(source, sizeof(source), from, name, err);

	if (status == STATUS_OK)
		status = sync_file(source, err);
	if (status != STATUS_OK)
		return status;
	snprintf(target, sizeof(target), "/proc/self/fd/%d/%s", to_fd, name);
	if (rename(source, target) < 0)
		return error_system(err, errno, to, "cannot replace %s", name);
	return STATUS_OK;
}

enum status transfer_place_move(const char *from, const char *to, struct error *err)
{
	struct dirent **list = NULL;
	enum status status = STATUS_OK;
	int to_fd = open(to, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int count = to_fd < 0 ? -1 : scandir(from, &list, NULL, alphasort);

	if (count < 0)
		status = error_system(err, errno, to_fd < 0 ? to : from, "cannot open directory");
	for (int i = 0; i < count; i++) {
		if (status == STATUS_OK && list[i]->d_name[0] != '.')
			status = move_file(from, list[i]->d_name, to, to_fd, err);
		free(list[i]);
	}
	free(list);
	if (to_fd >= 0) {
		fsync(to_fd);
		close(to_fd);
	}
	return status;
}
