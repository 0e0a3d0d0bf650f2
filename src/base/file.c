/* SPDX-License-Identifier: MIT */
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/interrupt.h"
#include "base/memory.h"
#include "base/number.h"

enum { READ_SIZE = 65536 };

/* Size of the first read: that of a small file plus one byte, which shows whether it has grown. */
static size_t first_size(int fd)
{
	struct stat info;

	if (fstat(fd, &info) < 0 || !S_ISREG(info.st_mode) || info.st_size <= 0 || info.st_size >= READ_SIZE)
		return READ_SIZE;
	return (size_t)info.st_size + 1;
}

static enum status read_descriptor(int fd, const char *path, size_t limit, struct buffer *buffer, struct error *err)
{
	size_t start = buffer->length;
	size_t size = first_size(fd);
	ssize_t got = 1;

	while (got != 0) {
		char *to = buffer_reserve(buffer, size);
		got = read(fd, to, size);
		if (got < 0 && errno != EINTR)
			return error_system(err, errno, path, "cannot read");
		if (got < 0)
			continue;
		buffer->length += (size_t)got;
		size = (size_t)got < size ? size - (size_t)got : READ_SIZE; /* the rest of the reserved size first */
		if (buffer->length - start > limit)
			return error_set(err, STATUS_UNSUPPORTED, path, "longer than %zu bytes", limit);
	}
	buffer->data[buffer->length] = '\0';
	return STATUS_OK;
}

static bool is_regular(int fd)
{
	struct stat info;

	return fstat(fd, &info) == 0 && S_ISREG(info.st_mode);
}

static enum status read_path(const char *path, bool is_input, size_t limit, struct buffer *buffer, struct error *err)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | (is_input ? O_NONBLOCK | O_NOCTTY : 0));

	if (fd < 0)
		return error_system(err, errno, path, "cannot open");
	enum status status = is_input && !is_regular(fd)
				 ? error_set(err, STATUS_UNSUPPORTED, path, "not a regular file")
				 : read_descriptor(fd, path, limit, buffer, err);
	close(fd);
	return status;
}

enum status file_read(const char *path, size_t limit, struct buffer *buffer, struct error *err)
{
	return read_path(path, false, limit, buffer, err);
}

enum status file_read_regular(const char *path, size_t limit, struct buffer *buffer, struct error *err)
{
	return read_path(path, true, limit, buffer, err);
}

bool file_read_line(const char *path, char *text, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0 || size == 0) {
		if (fd >= 0)
			close(fd);
		return false;
	}
	ssize_t got = read(fd, text, size - 1);
	close(fd);
	if (got < 0)
		return false;
	text[got] = '\0';
	text[strcspn(text, "\n")] = '\0';
	return true;
}

enum status file_write_all(int fd, const void *bytes, size_t length, const char *path, struct error *err)
{
	const char *from = bytes;

	while (length) {
		ssize_t put = write(fd, from, length);
		/* The reader of a pipe may stop reading, so a signal that interrupts the write ends it. An earlier
		 * signal does not: record and monitor write their results after one. */
		if (put < 0 && errno == EINTR && !is_regular(fd) && interrupt_check(err) != STATUS_OK)
			return STATUS_INTERRUPTED;
		if (put < 0 && errno == EINTR)
			continue;
		if (put <= 0)
			return error_system(err, put < 0 ? errno : ENOSPC, path, "cannot write");
		from += put;
		length -= (size_t)put;
	}
	return STATUS_OK;
}

enum status file_write_both(int fd, const void *first, size_t first_length, const void *then, size_t then_length,
			    const char *path, struct error *err)
{
	struct iovec parts[] = {{(void *)(uintptr_t)first, first_length}, {(void *)(uintptr_t)then, then_length}};
	ssize_t put;

	do
		put = writev(fd, parts, 2);
	while (put < 0 && errno == EINTR);
	/* After an error or a short write, file_write_all() continues and reports the reason. */
	size_t done = put > 0 ? (size_t)put : 0;
	if (done < first_length) {
		enum status status = file_write_all(fd, (const char *)first + done, first_length - done, path, err);
		if (status != STATUS_OK)
			return status;
		done = first_length;
	}
	done -= first_length;
	return file_write_all(fd, (const char *)then + done, then_length - done, path, err);
}

/* Devices and pipes are written to, never replaced by a file. */
static enum status write_into(const char *path, const void *bytes, size_t length, struct error *err)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);

	if (fd < 0)
		return error_system(err, errno, path, "cannot open");
	enum status status = file_write_all(fd, bytes, length, path, err);
	if (close(fd) < 0 && status == STATUS_OK)
		status = error_system(err, errno, path, "cannot write");
	return status;
}

int file_create(const char *path, int access)
{
	if (unlink(path) < 0 && errno != ENOENT)
		return -1;
	return open(path, access | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
}

enum status file_replace(const char *path, const void *bytes, size_t length, struct error *err)
{
	char temporary[PATH_MAX];
	struct stat info;

	if (stat(path, &info) == 0 && !S_ISREG(info.st_mode) && !S_ISDIR(info.st_mode))
		return write_into(path, bytes, length, err);
	int needed = snprintf(temporary, sizeof(temporary), "%s.new", path);

	if (needed < 0 || (size_t)needed >= sizeof(temporary))
		return error_set(err, STATUS_USAGE, path, "path is too long");
	int fd = file_create(temporary, O_WRONLY);
	if (fd < 0)
		return error_system(err, errno, temporary, "cannot create");
	enum status status = file_write_all(fd, bytes, length, temporary, err);
	if (status == STATUS_OK && fsync(fd) < 0 && errno != EINVAL && errno != ENOTSUP)
		status = error_system(err, errno, temporary, "cannot write");
	if (close(fd) < 0 && status == STATUS_OK)
		status = error_system(err, errno, temporary, "cannot write");
	if (status == STATUS_OK && rename(temporary, path) < 0)
		status = error_system(err, errno, path, "cannot replace");
	if (status != STATUS_OK)
		unlink(temporary);
	else
		file_give_to_sudo_user(path);
	return status;
}

enum status file_make_directories(const char *path, struct error *err)
{
	char part[PATH_MAX];
	size_t length = strlen(path);

	if (length == 0 || length >= sizeof(part))
		return error_set(err, STATUS_USAGE, path, length ? "path is too long" : "empty path");
	for (size_t i = 1; i <= length; i++) {
		if (path[i] != '/' && path[i] != '\0')
			continue;
		memcpy(part, path, i);
		part[i] = '\0';
		if (mkdir(part, 0777) == 0) {
			file_give_to_sudo_user(part);
			continue;
		}
		struct stat info;
		int reason = errno;
		if (stat(part, &info) == 0 && S_ISDIR(info.st_mode))
			continue;
		return error_system(err, reason == EEXIST ? ENOTDIR : reason, part, "cannot create directory");
	}
	return STATUS_OK;
}

enum status file_lock_directory(const char *path, int *lock, struct error *err)
{
	*lock = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (*lock < 0)
		return error_system(err, errno, path, "cannot open");
	if (flock(*lock, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK)
		return STATUS_OK;
	close(*lock);
	*lock = -1;
	error_set(err, STATUS_USAGE, path, "another picknext process is writing to this directory");
	return error_remedy(err, "wait for it, or choose another directory with -o");
}

void file_sync_directory(const char *path)
{
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0)
		return;
	fsync(fd);
	close(fd);
}

bool file_is_directory(const char *path)
{
	struct stat info;

	return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

enum status file_join(char *to, size_t size, const char *directory, const char *name, struct error *err)
{
	size_t length = strlen(directory);
	const char *slash = length && directory[length - 1] == '/' ? "" : "/";
	int needed = snprintf(to, size, "%s%s%s", directory, slash, name);

	if (needed < 0 || (size_t)needed >= size)
		return error_set(err, STATUS_USAGE, directory, "path is too long");
	return STATUS_OK;
}

bool file_same(const char *path, const char *other)
{
	struct stat a, b;

	return stat(path, &a) == 0 && stat(other, &b) == 0 && a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

enum status file_refuse_special(const char *path, struct error *err)
{
	struct stat info;

	if (stat(path, &info) < 0 || S_ISREG(info.st_mode) || S_ISDIR(info.st_mode))
		return STATUS_OK;
	return error_set(err, STATUS_UNSUPPORTED, path, "not a regular file");
}

enum status file_map_open(int fd, const char *name, struct mapping *mapping, struct error *err)
{
	struct stat info;

	*mapping = (struct mapping){0};
	if (fstat(fd, &info) < 0)
		return error_system(err, errno, name, "cannot open");
	if (!S_ISREG(info.st_mode))
		return error_set(err, STATUS_UNSUPPORTED, name, "not a regular file");
	if (info.st_size == 0)
		return STATUS_OK;
	void *bytes = mmap(NULL, (size_t)info.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (bytes == MAP_FAILED)
		return error_system(err, errno, name, "cannot map");
	/* Without a free descriptor file_map_forget() does nothing. */
	int kept = fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
	*mapping = (struct mapping){bytes, (size_t)info.st_size, kept > 0 ? kept : 0};
	return STATUS_OK;
}

enum status file_map(const char *path, struct mapping *mapping, struct error *err)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

	*mapping = (struct mapping){0};
	if (fd < 0)
		return error_system(err, errno, path, "cannot open");
	enum status status = file_map_open(fd, path, mapping, err);
	close(fd);
	return status;
}

void file_map_forget(const struct mapping *mapping)
{
	/* Maps again at the same address: MADV_DONTNEED would keep the page tables and walk all of them each time.
	 * Best effort: if it is refused, the pages stay. */
	if (mapping->fd && mmap((void *)(uintptr_t)mapping->bytes, mapping->length, PROT_READ, MAP_PRIVATE | MAP_FIXED,
				mapping->fd, 0) == MAP_FAILED)
		return;
}

void file_unmap(struct mapping *mapping)
{
	if (mapping->bytes)
		munmap((void *)(uintptr_t)mapping->bytes, mapping->length);
	if (mapping->fd)
		close(mapping->fd);
	*mapping = (struct mapping){0};
}

enum status file_same_content(const char *path, const char *other, bool *same, struct error *err)
{
	struct mapping left, right;
	enum status status = file_map(path, &left, err);

	if (status != STATUS_OK)
		return status;
	status = file_map(other, &right, err);
	if (status == STATUS_OK) {
		*same = left.length == right.length && memcmp(left.bytes, right.bytes, left.length) == 0;
		file_unmap(&right);
	}
	file_unmap(&left);
	return status;
}

static bool find_sudo_user(uint64_t *uid, uint64_t *gid)
{
	const char *user = getenv("SUDO_UID");
	const char *group = getenv("SUDO_GID");

	return geteuid() == 0 && user && group && number_parse_u64(user, uid) && number_parse_u64(group, gid) &&
	       *uid != 0 && *uid < UINT32_MAX && *gid < UINT32_MAX;
}

/* Best effort: after a failure the file belongs to root. */
void file_give_to_sudo_user(const char *path)
{
	uint64_t uid, gid;

	if (find_sudo_user(&uid, &gid) && lchown(path, (uid_t)uid, (gid_t)gid) < 0)
		return;
}

void file_give_open_to_sudo_user(int fd)
{
	uint64_t uid, gid;

	if (find_sudo_user(&uid, &gid) && fchown(fd, (uid_t)uid, (gid_t)gid) < 0)
		return;
}

bool file_name_ends(const char *name, const char *ending)
{
	const size_t length = strlen(name), end = strlen(ending);

	return length > end && strcmp(name + length - end, ending) == 0;
}

bool file_directory_is_memory(const char *directory)
{
	struct statfs status;
	struct stat kind;
	const unsigned long tmpfs = 0x01021994, ramfs = 0x858458f6;

	/* The node of a block device is in devtmpfs, so only directories are checked. */
	if (stat(directory, &kind) < 0 || !S_ISDIR(kind.st_mode) || statfs(directory, &status) < 0)
		return false;
	return (unsigned long)status.f_type == tmpfs || (unsigned long)status.f_type == ramfs;
}

int file_open_nameless(const char *directory)
{
	char path[PATH_MAX];
	int fd = open(directory, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);

	/* Not every file system has O_TMPFILE. */
	if (fd >= 0 || (size_t)snprintf(path, sizeof(path), "%s/.picknext-XXXXXX", directory) >= sizeof(path))
		return fd;
	fd = mkostemp(path, O_CLOEXEC);
	if (fd >= 0)
		unlink(path);
	return fd;
}

struct identity {
	dev_t device;
	ino_t inode;
	size_t place; /* in the list */
};

static int compare_identities(const void *left, const void *right)
{
	const struct identity *a = left;
	const struct identity *b = right;

	if (a->device != b->device)
		return a->device < b->device ? -1 : 1;
	if (a->inode != b->inode)
		return a->inode < b->inode ? -1 : 1;
	return a->place < b->place ? -1 : a->place > b->place;
}

void file_find_same(const char *const *paths, size_t count, size_t *first, size_t *second)
{
	struct identity *files = xcalloc(count + 1, sizeof(*files));
	size_t found = 0;
	struct stat info;

	*first = *second = count;
	for (size_t i = 0; i < count; i++)
		if (stat(paths[i], &info) == 0 && S_ISREG(info.st_mode))
			files[found++] = (struct identity){info.st_dev, info.st_ino, i};
	qsort(files, found, sizeof(*files), compare_identities);
	for (size_t i = 1; i < found; i++) {
		bool is_same = files[i].device == files[i - 1].device && files[i].inode == files[i - 1].inode;
		if (!is_same || files[i].place >= *second)
			continue;
		*first = files[i - 1].place;
		*second = files[i].place;
	}
	free(files);
}
