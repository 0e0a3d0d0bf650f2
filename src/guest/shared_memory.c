/* SPDX-License-Identifier: MIT */
#include "guest/shared_memory.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "vm/protocol/shared_memory.h"
#include "vm/protocol/transfer.h"

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

	/* No driver has enabled the memory of the device. */
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
