/* SPDX-License-Identifier: MIT
 *
 * The host's side of a shared directory: files of the guest are checked and copied, so that their owner, mode and
 * extended attributes are not kept. */
#include "vm/launch/share.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/number.h"
#include "vm/protocol/transfer.h"

#define MANIFEST_MAX (1u << 20)
#define MAPPED       ".virtfs_metadata" /* begins the names of QEMU's own files, which a guest on 9p cannot make */

struct share {
	struct transfer_place place;
	int fd;
	struct buffer manifest;
};

/* Opens a regular file with one link, and nothing else. With O_NONBLOCK the open of a FIFO does not block. */
static int open_plain(int directory, const char *name, struct stat *info)
{
	int file = openat(directory, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);

	if (file < 0)
		return -1;
	if (fstat(file, info) == 0 && S_ISREG(info->st_mode) && info->st_nlink == 1)
		return file;
	close(file);
	return -1;
}

static enum status read_manifest(struct share *share, struct error *err)
{
	struct stat info;
	int file = open_plain(share->fd, TRANSFER_MANIFEST, &info);

	if (file < 0)
		return STATUS_OK; /* then no file is complete */
	for (;;) {
		char *room = share->manifest.length < MANIFEST_MAX ? buffer_reserve(&share->manifest, 65536) : NULL;
		ssize_t got = room ? read(file, room, 65536) : 0;
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0) {
			int reason = errno;
			close(file);
			return error_system(err, reason, TRANSFER_MANIFEST, "cannot read");
		}
		if (got == 0)
			break;
		share->manifest.length += (size_t)got;
	}
	close(file);
	if (share->manifest.data)
		share->manifest.data[share->manifest.length] = '\0';
	return STATUS_OK;
}

/* One line: SIZE CRC32C NAME. */
static bool parse_line(const char *line, size_t length, const char *name, struct transfer_copied *listed)
{
	char text[TRANSFER_NAME_MAX + 64], *rest;

	if (length >= sizeof(text))
		return false;
	memcpy(text, line, length);
	text[length] = '\0';
	char *checksum = strchr(text, ' ');
	if (!checksum)
		return false;
	*checksum++ = '\0';
	char *found = strchr(checksum, ' ');
	if (!found || found - checksum != 8)
		return false;
	*found++ = '\0';
	if (strcmp(found, name) != 0 || !number_parse_u64(text, &listed->size) ||
	    strspn(checksum, "0123456789abcdef") != 8)
		return false;
	listed->checksum = (uint32_t)strtoul(checksum, &rest, 16);
	return true;
}

static bool find_listed(const struct share *share, const char *name, struct transfer_copied *listed)
{
	const char *at = share->manifest.data;
	const char *end = at ? at + share->manifest.length : NULL;

	while (at && at < end) {
		const char *newline = memchr(at, '\n', (size_t)(end - at));
		if (!newline)
			return false; /* a truncated line is ignored */
		if (parse_line(at, (size_t)(newline - at), name, listed))
			return true;
		at = newline + 1;
	}
	return false;
}

static enum status receive_file(struct share *share, const char *name, struct error *err)
{
	struct stat info;
	struct transfer_copied listed = {0}, copied;
	int to, from = open_plain(share->fd, name, &info);

	if (from < 0) {
		transfer_place_problem(&share->place, "the guest left '%s', which is not a regular file", name);
		share->place.report.refused++;
		return STATUS_OK;
	}
	if (!transfer_place_admits(&share->place, name, strlen(name), (uint64_t)info.st_size)) {
		share->place.report.refused++;
		close(from);
		return STATUS_OK;
	}
	bool is_listed = find_listed(share, name, &listed);
	enum status status = transfer_place_create(&share->place, name, &to, err);
	if (status != STATUS_OK) {
		close(from);
		return status;
	}
	status = transfer_place_copy(&share->place, name, from, to, (uint64_t)info.st_size, &copied, err);
	close(from);
	if (status != STATUS_OK) {
		close(to); /* it stays as NAME.incomplete */
		share->place.report.incomplete++;
		return status;
	}
	bool whole = is_listed && listed.size == copied.size && listed.checksum == copied.checksum;
	if (!is_listed)
		transfer_place_problem(&share->place, "%s did not arrive whole: the guest ended while it was written",
				       name);
	else if (!whole)
		transfer_place_problem(
		    &share->place, "%s did not arrive whole: its length or checksum differs from the guest's", name);
	status = transfer_place_finish(&share->place, name, to, whole, copied.size, err);
	if (status == STATUS_OK && unlinkat(share->fd, name, 0) < 0)
		status = error_system(err, errno, name, "cannot remove it from the shared directory");
	return status;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Names in the share, sorted; names beyond the limit are ignored. */
static char **list_names(struct share *share, size_t *count, struct error *err)
{
	size_t max = (size_t)share->place.limits.files + 1;
	int copy_fd = fcntl(share->fd, F_DUPFD_CLOEXEC, 3);
	DIR *list = copy_fd < 0 ? NULL : fdopendir(copy_fd);

	*count = 0;
	if (!list) {
		error_system(err, errno, share->place.directory, "cannot list the shared directory");
		if (copy_fd >= 0)
			close(copy_fd);
		return NULL;
	}
	char **names = xcalloc(max, sizeof(*names));
	for (struct dirent *entry; *count < max && (entry = readdir(list));) {
		const char *name = entry->d_name;
		if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0 || strcmp(name, TRANSFER_MANIFEST) == 0 ||
		    strncmp(name, MAPPED, strlen(MAPPED)) == 0)
			continue;
		names[(*count)++] = xstrdup(name);
	}
	closedir(list);
	qsort(names, *count, sizeof(*names), by_name);
	return names;
}

static enum status receive_files(struct share *share, struct error *err)
{
	size_t count;
	char **names = list_names(share, &count, err);
	enum status status = names ? STATUS_OK : STATUS_SYSTEM;

	for (size_t i = 0; i < count; i++) {
		if (status == STATUS_OK)
			status = receive_file(share, names[i], err);
		free(names[i]);
	}
	free(names);
	return status;
}

enum status transfer_receive_share(const char *directory_shared, const char *directory,
				   const struct transfer_limits *limits, struct transfer_report *report,
				   struct error *err)
{
	struct share share = {.fd = -1};

	*report = (struct transfer_report){0};
	enum status status = transfer_place_open(&share.place, directory, limits, err);
	if (status != STATUS_OK)
		return status;
	share.fd = open(directory_shared, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (share.fd < 0)
		status = error_system(err, errno, directory_shared, "cannot open the shared directory");
	if (status == STATUS_OK)
		status = read_manifest(&share, err);
	if (status == STATUS_OK)
		status = receive_files(&share, err);
	*report = share.place.report;
	transfer_place_close(&share.place);
	if (share.fd >= 0)
		close(share.fd);
	buffer_free(&share.manifest);
	return status;
}
