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

static bool open_region(struct shared_memory *memory, const char *device, const char *region)
{
	snprintf(memory->path, sizeof(memory->path), DEVICES "/%.24s/%.16s", device, region);
	memory->device = open(memory->path, O_RDWR | O_CLOEXEC);
	return memory->device >= 0;
}

static enum status open_device(struct shared_memory *memory, const char *device, struct error *err)
{
	char path[128];

	/* No driver is bound to the device, so its memory must be enabled here. */
	snprintf(path, sizeof(path), DEVICES "/%.32s/enable", device);
	int enable = open(path, O_WRONLY | O_CLOEXEC);
	bool enabled = enable >= 0 && write(enable, "1", 1) == 1;
	int reason = errno;
	if (enable >= 0)
		close(enable);
	if (!enabled)
		return error_system(err, reason, path, "cannot enable the memory shared with the host");
	/* arm64 allows unaligned writes only through the write-combining file; x86 kernels without PAT have none. */
	if (!open_region(memory, device, "resource2_wc") && !open_region(memory, device, "resource2"))
		return error_system(err, errno, memory->path, "cannot open the memory shared with the host");
	return shared_memory_map(memory, err);
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
	return status == STATUS_END ? error_set(err, STATUS_SYSTEM, DEVICES, "no memory is shared with the host")
				    : status;
}

static enum status map_bytes(const struct shared_memory *memory, uint64_t begin, size_t length, uint8_t **mapping,
			     struct error *err)
{
	*mapping = mmap(NULL, length, PROT_READ | PROT_WRITE, MAP_SHARED, memory->device, (off_t)begin);
	if (*mapping != MAP_FAILED)
		return STATUS_OK;
	const int reason = errno;
	*mapping = NULL;
	error_system(err, reason, memory->path, "cannot map the memory shared with the host");
	return reason == EPERM ? error_remedy(err, "kernel lockdown forbids it") : STATUS_SYSTEM;
}

enum status shared_memory_map(struct shared_memory *memory, struct error *err)
{
	struct stat info;

	if (fstat(memory->device, &info) < 0)
		return error_system(err, errno, memory->path, "cannot open the memory shared with the host");
	if (info.st_size <= SHARED_MEMORY_FRAMES)
		return error_set(err, STATUS_SYSTEM, memory->path, "the memory shared with the host is too small");
	memory->size = (uint64_t)info.st_size;
	enum status status = map_bytes(memory, 0, SHARED_MEMORY_FRAMES, &memory->head, err);
	if (status == STATUS_OK)
		memcpy(memory->head, SHARED_MEMORY_MAGIC, 8);
	return status;
}

/* The host must see the bytes before their count. */
static void publish_count(const struct shared_memory *memory, size_t offset, uint64_t count)
{
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	__atomic_store_n((uint64_t *)(void *)(memory->head + offset), count, __ATOMIC_SEQ_CST);
}

/* Maps only the pages to write: the kernel fills the page tables of a complete mapping at once. */
static enum status store_bytes(const struct shared_memory *memory, uint64_t offset, const void *bytes, size_t length,
			       struct error *err)
{
	const uint64_t begin = offset & ~((uint64_t)sysconf(_SC_PAGESIZE) - 1);
	const size_t mapped = (size_t)(offset - begin) + length;
	uint8_t *mapping;
	enum status status = map_bytes(memory, begin, mapped, &mapping, err);

	if (status != STATUS_OK)
		return status;
	memcpy(mapping + (offset - begin), bytes, length);
	munmap(mapping, mapped);
	return STATUS_OK;
}

enum status shared_memory_add_frame(struct shared_memory *memory, const void *bytes, size_t length, struct error *err)
{
	if (length == 0)
		return STATUS_OK;
	if (length > memory->size - SHARED_MEMORY_FRAMES - memory->frames)
		return error_system(err, ENOSPC, memory->path, "the memory shared with the host is full");
	enum status status = store_bytes(memory, SHARED_MEMORY_FRAMES + memory->frames, bytes, length, err);
	if (status != STATUS_OK)
		return status;
	memory->frames += length;
	publish_count(memory, SHARED_MEMORY_FRAMES_AT, memory->frames);
	return STATUS_OK;
}

void shared_memory_add_line(struct shared_memory *memory, const char *bytes, size_t length)
{
	const size_t at = (size_t)(memory->lines % SHARED_MEMORY_RING_BYTES);
	const size_t room = SHARED_MEMORY_RING_BYTES - at;
	const size_t first = length < room ? length : room;

	memcpy(memory->head + SHARED_MEMORY_LINES + at, bytes, first);
	memcpy(memory->head + SHARED_MEMORY_LINES, bytes + first, length - first);
	memory->lines += length;
	publish_count(memory, SHARED_MEMORY_LINES_AT, memory->lines);
}

void shared_memory_close(struct shared_memory *memory)
{
	if (memory->head)
		munmap(memory->head, SHARED_MEMORY_FRAMES);
	if (memory->device >= 0)
		close(memory->device);
	*memory = (struct shared_memory){.device = -1};
}
