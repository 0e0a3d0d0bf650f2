/* SPDX-License-Identifier: MIT */
#include "vm/launch/shared_memory_receive.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "vm/launch/receive.h"
#include "vm/protocol/shared_memory.h"
#include "vm/protocol/transfer.h"

enum status shared_memory_create(const char *path, uint64_t size, struct error *err)
{
	int fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
	enum status status = STATUS_OK;

	if (fd < 0 || ftruncate(fd, (off_t)size) < 0)
		status = error_system(err, errno, path, "cannot make the shared memory for traces");
	if (fd >= 0)
		close(fd);
	return status;
}

static enum status pass_frames(int fd, const char *path, uint64_t left, struct transfer_receiver *receiver,
			       struct error *err)
{
	char *block = xmalloc(TRANSFER_BLOCK);
	off_t at = SHARED_MEMORY_PAGE_BYTES;
	enum status status = STATUS_OK;

	while (left && status == STATUS_OK) {
		ssize_t got = pread(fd, block, left < TRANSFER_BLOCK ? (size_t)left : TRANSFER_BLOCK, at);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			status = error_system(err, errno, path, "cannot read");
		if (got <= 0)
			break;
		status = transfer_receive(receiver, block, (size_t)got, err);
		at += got;
		left -= (uint64_t)got;
	}
	free(block);
	return status;
}

static enum status receive_frames(const char *path, struct transfer_receiver *receiver, struct error *err)
{
	uint8_t head[SHARED_MEMORY_HEAD_BYTES];
	enum status status = STATUS_OK;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);

	if (fd < 0)
		return error_system(err, errno, path, "cannot open");
	/* Without magic the guest has sent nothing. pread() stops at the end of file, even if the guest gives a larger
	 * length. */
	if (pread(fd, head, sizeof(head), 0) == (ssize_t)sizeof(head) && memcmp(head, SHARED_MEMORY_MAGIC, 8) == 0)
		status = pass_frames(fd, path, transfer_get_number(head + 8, 8), receiver, err);
	close(fd);
	return status;
}

enum status shared_memory_receive(const char *path, const char *directory, const struct transfer_limits *limits,
				  struct transfer_report *report, struct error *err)
{
	struct transfer_receiver *receiver;
	enum status status = transfer_receiver_open(&receiver, directory, limits, err);

	if (status == STATUS_OK)
		status = receive_frames(path, receiver, err);
	enum status closed = transfer_receiver_close(receiver, report, status == STATUS_OK ? err : NULL);
	return status == STATUS_OK ? closed : status;
}
