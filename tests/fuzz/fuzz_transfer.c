/* SPDX-License-Identifier: MIT
 *
 * What a guest sends on its data port, in pieces whose length the first byte gives. Whatever comes, there are only
 * files with safe names in the directory afterwards, and nothing beside it. */
#include <dirent.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "vm/launch/receive.h"
#include "vm/protocol/transfer.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static char top[64], directory[80];

static void remove_top(void)
{
	rmdir(directory);
	rmdir(top);
}

static void make_directory(void)
{
	snprintf(top, sizeof(top), "/tmp/picknext-fuzz-XXXXXX");
	if (!mkdtemp(top))
		abort();
	snprintf(directory, sizeof(directory), "%s/out", top);
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
	if (count != 3) /* ".", "..", "out" */
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct transfer_limits limits = {.file_bytes = 4096, .total_bytes = 16384, .files = 8};
	struct transfer_receiver *receiver;
	struct transfer_report report;

	if (!directory[0])
		make_directory();
	if (size == 0)
		return 0;
	size_t piece = data[0] ? data[0] : 1;
	if (transfer_receiver_open(&receiver, directory, &limits, NULL) != STATUS_OK)
		abort();
	for (size_t at = 1; at < size; at += piece)
		if (transfer_receive(receiver, data + at, size - at < piece ? size - at : piece, NULL) != STATUS_OK)
			abort();
	if (transfer_receiver_close(receiver, &report, NULL) != STATUS_OK)
		abort();
	if (empty_directory() != report.whole + report.incomplete || report.bytes > limits.total_bytes)
		abort();
	check_beside();
	return 0;
}
