/* SPDX-License-Identifier: MIT */
#include "vm/launch/shared_memory.h"

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
#include "vm/protocol/transfer_frame.h"

#define DEVICES "/sys/bus/pci/devices"
#define MAGIC   "pnwindow"
#define HEAD    4096 /* bytes before the first frame: a page, as that is what is mapped */

/* --- The guest's side --- */

static bool is_window(const char *device)
{
	char path[128], vendor[16], model[16];

	snprintf(path, sizeof(path), DEVICES "/%.32s/vendor", device);
	if (!file_read_line(path, vendor, sizeof(vendor)) || strcmp(vendor, "0x1af4") != 0)
		return false;
	snprintf(path, sizeof(path), DEVICES "/%.32s/device", device);
	return file_read_line(path, model, sizeof(model)) && strcmp(model, "0x1110") == 0;
}

static enum status open_device(struct window *window, const char *device, struct error *err)
{
	char path[128];
	struct stat info;

	/* No driver has switched its memory on. */
	snprintf(path, sizeof(path), DEVICES "/%.32s/enable", device);
	int enable = open(path, O_WRONLY | O_CLOEXEC);
	bool enabled = enable >= 0 && write(enable, "1", 1) == 1;
	int reason = errno;
	if (enable >= 0)
		close(enable);
	if (!enabled)
		return error_system(err, reason, path, "cannot enable the window for traces");
	snprintf(window->path, sizeof(window->path), DEVICES "/%.24s/resource2", device);
	window->device = open(window->path, O_RDWR | O_CLOEXEC);
	if (window->device < 0 || fstat(window->device, &info) < 0 || info.st_size <= HEAD)
		return error_system(err, errno, window->path, "cannot open the window for traces");
	window->size = (uint64_t)info.st_size;
	window->used = 0;
	return STATUS_OK;
}

enum status window_open(struct window *window, struct error *err)
{
	DIR *list = opendir(DEVICES);
	enum status status = STATUS_END;

	*window = (struct window){.device = -1};
	for (struct dirent *entry; list && status == STATUS_END && (entry = readdir(list));)
		if (is_window(entry->d_name))
			status = open_device(window, entry->d_name, err);
	if (list)
		closedir(list);
	return status == STATUS_END ? error_set(err, STATUS_SYSTEM, DEVICES, "there is no window for traces") : status;
}

/* Only what is written is mapped: the kernel fills page tables for all of a mapping at once. */
static enum status store(const struct window *window, uint64_t offset, const void *bytes, size_t length,
			 struct error *err)
{
	uint64_t begin = offset & ~(uint64_t)(HEAD - 1);
	size_t mapped = (size_t)(offset - begin) + length;
	char *memory = mmap(NULL, mapped, PROT_READ | PROT_WRITE, MAP_SHARED, window->device, (off_t)begin);

	if (memory == MAP_FAILED)
		return error_system(err, errno, window->path, "cannot map the window for traces");
	memcpy(memory + (offset - begin), bytes, length);
	munmap(memory, mapped);
	return STATUS_OK;
}

enum status window_put(struct window *window, const void *bytes, size_t length, struct error *err)
{
	uint8_t head[16] = MAGIC;

	if (length == 0)
		return STATUS_OK;
	if (length > window->size - HEAD - window->used)
		return error_system(err, ENOSPC, window->path, "the window for traces is full");
	enum status status = store(window, HEAD + window->used, bytes, length, err);
	if (status != STATUS_OK)
		return status;
	window->used += length;
	delivery_put(head + 8, window->used, 8);
	return store(window, 0, head, sizeof(head), err);
}

void window_close(struct window *window)
{
	if (window->device >= 0)
		close(window->device);
	window->device = -1;
}

/* --- The host's side --- */

enum status window_make(const char *path, uint64_t size, struct error *err)
{
	int fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
	enum status status = STATUS_OK;

	if (fd < 0 || ftruncate(fd, (off_t)size) < 0)
		status = error_system(err, errno, path, "cannot make the window for traces");
	if (fd >= 0)
		close(fd);
	return status;
}

static enum status hand_over(int fd, const char *path, uint64_t left, struct delivery_receiver *receiver,
			     struct error *err)
{
	char *block = malloc(DELIVERY_BLOCK);
	off_t at = HEAD;
	enum status status = block ? STATUS_OK : error_system(err, ENOMEM, path, "cannot read");

	while (left && status == STATUS_OK) {
		ssize_t got = pread(fd, block, left < DELIVERY_BLOCK ? (size_t)left : DELIVERY_BLOCK, at);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			status = error_system(err, errno, path, "cannot read");
		if (got <= 0)
			break;
		status = delivery_receive(receiver, block, (size_t)got, err);
		at += got;
		left -= (uint64_t)got;
	}
	free(block);
	return status;
}

enum status window_take(const char *path, struct delivery_receiver *receiver, struct error *err)
{
	uint8_t head[16];
	enum status status = STATUS_OK;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);

	if (fd < 0)
		return error_system(err, errno, path, "cannot open");
	/* Nothing there: the guest did not get so far. How much there is to be, the file's own length bounds. */
	if (pread(fd, head, sizeof(head), 0) == (ssize_t)sizeof(head) && memcmp(head, MAGIC, 8) == 0)
		status = hand_over(fd, path, delivery_get(head + 8, 8), receiver, err);
	close(fd);
	return status;
}
