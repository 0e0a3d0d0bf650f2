/* SPDX-License-Identifier: MIT */
#include "guest/transfer_send.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/memory.h"
#include "guest/shared_memory.h"
#include "vm/protocol/crc32c.h"
#include "vm/protocol/transfer.h"

static void prepare_sender(struct transfer_sender *sender, const char *where)
{
	*sender = (struct transfer_sender){.directory = -1};
	snprintf(sender->where, sizeof(sender->where), "%s", where);
	sender->block = xmalloc(TRANSFER_BLOCK);
}

enum status transfer_sender_open_share(struct transfer_sender *sender, const char *directory, struct error *err)
{
	prepare_sender(sender, directory);
	sender->directory = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (sender->directory < 0)
		return error_system(err, errno, directory, "cannot open the shared directory");
	return STATUS_OK;
}

void transfer_sender_use_memory(struct transfer_sender *sender, struct shared_memory *memory)
{
	prepare_sender(sender, "shared memory");
	sender->shared_memory = memory;
}

void transfer_sender_close(struct transfer_sender *sender)
{
	if (sender->directory >= 0)
		close(sender->directory);
	free(sender->block);
	*sender = (struct transfer_sender){.directory = -1};
}

/* Fills the block; less at the end of the file, then 0. */
static enum status read_block(struct transfer_sender *sender, int from, const char *path, size_t *length,
			      struct error *err)
{
	*length = 0;
	while (*length < TRANSFER_BLOCK) {
		ssize_t got = read(from, sender->block + *length, TRANSFER_BLOCK - *length);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return error_system(err, errno, path, "cannot read");
		if (got == 0)
			break;
		*length += (size_t)got;
	}
	return STATUS_OK;
}

/* Copies exactly size bytes, the announced size; to: a file, or -1 for the shared memory. */
static enum status copy_file(struct transfer_sender *sender, int from, const char *path, int to, uint64_t size,
			     uint32_t *checksum, struct error *err)
{
	uint64_t left = size;
	size_t length;

	*checksum = 0;
	while (left) {
		enum status status = read_block(sender, from, path, &length, err);
		if (status != STATUS_OK)
			return status;
		if (length == 0)
			return error_set(err, STATUS_CORRUPT, path, "became shorter while it was sent");
		if (length > left)
			length = (size_t)left;
		*checksum = crc32c(*checksum, sender->block, length);
		status = to < 0 ? shared_memory_add_frame(sender->shared_memory, sender->block, length, err)
				: file_write_all(to, sender->block, length, sender->where, err);
		if (status != STATUS_OK)
			return status;
		left -= length;
	}
	return STATUS_OK;
}

static enum status list_in_manifest(struct transfer_sender *sender, const char *name, uint64_t size, uint32_t checksum,
				    struct error *err)
{
	char line[TRANSFER_NAME_MAX + 64];
	int length =
	    snprintf(line, sizeof(line), "%llu %08x %s\n", (unsigned long long)size, (unsigned int)checksum, name);
	int to = openat(sender->directory, TRANSFER_MANIFEST, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);

	if (to < 0)
		return error_system(err, errno, sender->where, "cannot list a trace in the shared directory");
	enum status status = file_write_all(to, line, (size_t)length, sender->where, err);
	if (close(to) < 0 && status == STATUS_OK)
		status = error_system(err, errno, sender->where, "cannot write");
	return status;
}

static enum status send_to_share(struct transfer_sender *sender, int from, const char *path, const char *name,
				 uint64_t size, uint32_t *checksum, struct error *err)
{
	int to = openat(sender->directory, name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);

	if (to < 0)
		return error_system(err, errno, sender->where, "cannot create %s in the shared directory", name);
	enum status status = copy_file(sender, from, path, to, size, checksum, err);
	if (status == STATUS_OK && fsync(to) < 0 && errno != EINVAL)
		status = error_system(err, errno, sender->where, "cannot write %s", name);
	if (close(to) < 0 && status == STATUS_OK)
		status = error_system(err, errno, sender->where, "cannot write %s", name);
	if (status == STATUS_OK)
		status = list_in_manifest(sender, name, size, *checksum, err);
	return status;
}

static enum status send_framed(struct transfer_sender *sender, int from, const char *path, const char *name,
			       uint64_t size, uint32_t *checksum, struct error *err)
{
	uint8_t head[TRANSFER_FRAME_HEAD_MAX], tail[TRANSFER_FRAME_TAIL];
	size_t length = transfer_frame_head(head, name, strlen(name), size);

	enum status status = shared_memory_add_frame(sender->shared_memory, head, length, err);
	if (status == STATUS_OK)
		status = copy_file(sender, from, path, -1, size, checksum, err);
	if (status != STATUS_OK)
		return status;
	transfer_frame_tail(tail, *checksum);
	return shared_memory_add_frame(sender->shared_memory, tail, sizeof(tail), err);
}

enum status transfer_send(struct transfer_sender *sender, const char *path, uint64_t *size, uint32_t *checksum,
			  struct error *err)
{
	const char *slash = strrchr(path, '/');
	const char *name = slash ? slash + 1 : path;
	struct stat info;

	if (!transfer_name_is_safe(name, strlen(name)))
		return error_set(err, STATUS_USAGE, path, "the host accepts no file of this name");
	int from = open(path, O_RDONLY | O_CLOEXEC);
	if (from < 0)
		return error_system(err, errno, path, "cannot open");
	if (fstat(from, &info) < 0) {
		int reason = errno;
		close(from);
		return error_system(err, reason, path, "cannot open");
	}
	*size = (uint64_t)info.st_size;
	enum status status = sender->directory < 0 ? send_framed(sender, from, path, name, *size, checksum, err)
						   : send_to_share(sender, from, path, name, *size, checksum, err);
	close(from);
	return status;
}
