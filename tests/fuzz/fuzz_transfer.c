/* SPDX-License-Identifier: MIT
 *
 * The frames that a guest writes to shared memory, after a byte that is added to their length. Whatever comes, there
 * are only files with safe names in the directory afterwards, and nothing beside it. */
#include <dirent.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "vm/launch/shared_memory_receive.h"
#include "vm/protocol/shared_memory.h"
#include "vm/protocol/transfer.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static char top[64], directory[80], memory[80];

static void remove_top(void)
{
	rmdir(directory);
	unlink(memory);
	rmdir(top);
}

static void make_directory(void)
{
	snprintf(top, sizeof(top), "/tmp/picknext-fuzz-XXXXXX");
	if (!mkdtemp(top))
		abort();
	snprintf(directory, sizeof(directory), "%s/out", top);
	snprintf(memory, sizeof(memory), "%s/memory", top);
	if (mkdir(directory, 0755) < 0)
		abort();
	atexit(remove_top);
}

static bool is_expected(const char *name)
{
	static const char incomplete[] = ".incomplete";
	size_t length = strlen(name), end = sizeof(incomplete) - 1;

	if (length > end && strcmp(name + length - end, incomplete) == 0)
		length -= end;
	return transfer_name_is_safe(name, length);
}

/* Counts what is there, and takes it away. */
static unsigned int empty_directory(void)
{
	unsigned int count = 0;
	DIR *list = opendir(directory);

	if (!list)
		abort();
	for (struct dirent *entry; (entry = readdir(list));) {
		if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
			continue;
		if (!is_expected(entry->d_name) || unlinkat(dirfd(list), entry->d_name, 0) < 0)
			abort();
		count++;
	}
	closedir(list);
	return count;
}

static void check_beside(void)
{
	unsigned int count = 0;
	DIR *list = opendir(top);

	if (!list)
		abort();
	while (readdir(list))
		count++;
	closedir(list);
	if (count != 4) /* ".", "..", "memory", "out" */
		abort();
}

static void write_memory(const uint8_t *data, size_t size)
{
	uint8_t head[SHARED_MEMORY_HEAD_BYTES] = SHARED_MEMORY_MAGIC;
	int fd = open(memory, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	transfer_put_number(head + SHARED_MEMORY_FRAMES_AT, size - 1 + data[0], 8);
	if (fd < 0 || pwrite(fd, head, sizeof(head), 0) != (ssize_t)sizeof(head) ||
	    pwrite(fd, data + 1, size - 1, SHARED_MEMORY_FRAMES) != (ssize_t)(size - 1) || close(fd) < 0)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct transfer_limits limits = {.file_bytes = 4096, .total_bytes = 16384, .files = 8};
	struct shared_memory_receiver receiver;

	if (!directory[0])
		make_directory();
	if (size == 0)
		return 0;
	write_memory(data, size);
	if (shared_memory_open_receiver(&receiver, memory, directory, &limits, NULL) != STATUS_OK ||
	    shared_memory_take_all(&receiver, NULL) != STATUS_OK)
		abort();
	const struct transfer_report report = shared_memory_close_receiver(&receiver);
	if (empty_directory() != report.whole + report.incomplete || report.bytes > limits.total_bytes)
		abort();
	check_beside();
	return 0;
}
