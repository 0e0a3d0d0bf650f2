/* SPDX-License-Identifier: MIT */
#include "guest/transfer_send.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/memory.h"
#include "vm/protocol/crc32c.h"
#include "vm/protocol/shared_memory.h"
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

enum status transfer_sender_open_shared_memory(struct transfer_sender *sender, struct error *err)
{
	prepare_sender(sender, "shared memory");
	sender->shared_memory = xmalloc(sizeof(*sender->shared_memory));
	return shared_memory_open(sender->shared_memory, err);
}

void transfer_sender_close(struct transfer_sender *sender)
{
	if (sender->shared_memory)
		shared_memory_close(sender->shared_memory);
	free(sender->shared_memory);
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
		status = to < 0 ? shared_memory_write(sender->shared_memory, sender->block, length, err)
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

	enum status status = shared_memory_write(sender->shared_memory, head, length, err);
	if (status == STATUS_OK)
		status = copy_file(sender, from, path, -1, size, checksum, err);
	if (status != STATUS_OK)
		return status;
	transfer_frame_tail(tail, *checksum);
	return shared_memory_write(sender->shared_memory, tail, sizeof(tail), err);
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

#define DEVICES "/sys/bus/pci/devices"

static bool is_shared_memory(const char *device)
{
	char path[128], vendor[16], model[16];

	snprintf(path, sizeof(path), DEVICES "/%.32s/vendor", device);
	if (!file_read_line(path, vendor, sizeof(vendor)) || strcmp(vendor, "0x1af4") != 0)
		return false;
	snprintf(path, sizeof(path), DEVICES "/%.32s/device", device);
	return file_read_line(path, model, sizeof(model)) && strcmp(model, "0x1110") == 0;
}

static enum status open_device(struct shared_memory *memory, const char *device, struct error *err)
{
	char path[128];
	struct stat info;

	/* No driver is bound to the device, so its memory must be enabled here. */
	snprintf(path, sizeof(path), DEVICES "/%.32s/enable", device);
	int enable = open(path, O_WRONLY | O_CLOEXEC);
	bool enabled = enable >= 0 && write(enable, "1", 1) == 1;
	int reason = errno;
	if (enable >= 0)
		close(enable);
	if (!enabled)
		return error_system(err, reason, path, "cannot enable the shared memory for traces");
	snprintf(memory->path, sizeof(memory->path), DEVICES "/%.24s/resource2", device);
	memory->device = open(memory->path, O_RDWR | O_CLOEXEC);
	if (memory->device < 0 || fstat(memory->device, &info) < 0 || info.st_size <= SHARED_MEMORY_PAGE_BYTES)
		return error_system(err, errno, memory->path, "cannot open the shared memory for traces");
	memory->size = (uint64_t)info.st_size;
	memory->used = 0;
	return STATUS_OK;
}

enum status shared_memory_open(struct shared_memory *memory, struct error *err)
{
	DIR *list = opendir(DEVICES);
	enum status status = STATUS_END;

	*memory = (struct shared_memory){.device = -1};
	for (struct dirent *entry; list && status == STATUS_END && (entry = readdir(list));)
		if (is_shared_memory(entry->d_name))
			status = open_device(memory, entry->d_name, err);
	if (list)
		closedir(list);
	return status == STATUS_END ? error_set(err, STATUS_SYSTEM, DEVICES, "there is no shared memory for traces")
				    : status;
}

/* Maps only the pages to write: the kernel fills the page tables of a complete mapping at once. */
static enum status store_bytes(const struct shared_memory *memory, uint64_t offset, const void *bytes, size_t length,
			       struct error *err)
{
	uint64_t begin = offset & ~(uint64_t)(SHARED_MEMORY_PAGE_BYTES - 1);
	size_t mapped = (size_t)(offset - begin) + length;
	char *mapping = mmap(NULL, mapped, PROT_READ | PROT_WRITE, MAP_SHARED, memory->device, (off_t)begin);

	if (mapping == MAP_FAILED)
		return error_system(err, errno, memory->path, "cannot map the shared memory for traces");
	memcpy(mapping + (offset - begin), bytes, length);
	munmap(mapping, mapped);
	return STATUS_OK;
}

enum status shared_memory_write(struct shared_memory *memory, const void *bytes, size_t length, struct error *err)
{
	uint8_t head[SHARED_MEMORY_HEAD_BYTES] = SHARED_MEMORY_MAGIC;

	if (length == 0)
		return STATUS_OK;
	if (length > memory->size - SHARED_MEMORY_PAGE_BYTES - memory->used)
		return error_system(err, ENOSPC, memory->path, "the shared memory for traces is full");
	enum status status = store_bytes(memory, SHARED_MEMORY_PAGE_BYTES + memory->used, bytes, length, err);
	if (status != STATUS_OK)
		return status;
	memory->used += length;
	transfer_put_number(head + 8, memory->used, 8);
	return store_bytes(memory, 0, head, sizeof(head), err);
}

void shared_memory_close(struct shared_memory *memory)
{
	if (memory->device >= 0)
		close(memory->device);
	memory->device = -1;
}
