/* SPDX-License-Identifier: MIT */
#include "vm/engine/channels.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/file.h"
#include "vm/protocol/job.h"
#include "vm/protocol/shared_memory.h"
#include "vm/protocol/transfer.h"

static const struct {
	const char *file, *port;
} names[CHANNEL_COUNT] = {
    [CHANNEL_CONSOLE] = {"console", NULL},          [CHANNEL_PROGRESS] = {"progress", JOB_PROGRESS_PORT},
    [CHANNEL_OUTPUT] = {"stdout", "virtme.stdout"}, [CHANNEL_ERRORS] = {"stderr", "virtme.stderr"},
    [CHANNEL_RESULT] = {"ret", "virtme.ret"},
};

const char *channel_file(enum channel channel)
{
	return names[channel].file;
}

const char *channel_port(enum channel channel)
{
	return names[channel].port;
}

static enum status listen_at(int *listening, const char *directory, const char *name, struct error *err)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	int length = snprintf(address.sun_path, sizeof(address.sun_path), "%s/%s", directory, name);

	if (length < 0 || (size_t)length >= sizeof(address.sun_path))
		return error_set(err, STATUS_USAGE, directory, "path is too long for a socket");
	*listening = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (*listening < 0 || bind(*listening, (struct sockaddr *)&address, sizeof(address)) < 0 ||
	    listen(*listening, 1) < 0)
		return error_system(err, errno, address.sun_path, "cannot listen");
	return STATUS_OK;
}

enum status channels_open(struct channels *channels, const char *directory, unsigned int wanted, struct error *err)
{
	enum status status = STATUS_OK;

	*channels = (struct channels){0};
	for (int i = 0; i < CHANNEL_COUNT; i++)
		channels->listening[i] = channels->connection[i] = -1;
	for (int i = 0; i < CHANNEL_COUNT && status == STATUS_OK; i++)
		if (wanted & 1u << i)
			status = listen_at(&channels->listening[i], directory, names[i].file, err);
	if (status != STATUS_OK)
		channels_close(channels);
	return status;
}

enum status channels_open_console_file(struct channels *channels, const char *directory, struct error *err)
{
	char path[PATH_MAX];
	enum status status = file_join(path, sizeof(path), directory, names[CHANNEL_CONSOLE].file, err);

	if (status != STATUS_OK)
		return status;
	channels->is_file[CHANNEL_CONSOLE] = true;
	channels->connection[CHANNEL_CONSOLE] = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	return channels->connection[CHANNEL_CONSOLE] >= 0 ? STATUS_OK : error_system(err, errno, path, "cannot create");
}

enum status channels_open_shared_memory(struct channels *channels, const char *path, struct error *err)
{
	channels->is_file[CHANNEL_PROGRESS] = true;
	channels->connection[CHANNEL_PROGRESS] = open(path, O_RDONLY | O_CLOEXEC);
	return channels->connection[CHANNEL_PROGRESS] >= 0 ? STATUS_OK : error_system(err, errno, path, "cannot open");
}

/* The guest may write any count: one that goes back is ignored, one that is far ahead skips lines. */
static ssize_t read_lines(struct channels *channels, void *bytes, size_t size)
{
	const int memory = channels->connection[CHANNEL_PROGRESS];
	uint8_t head[SHARED_MEMORY_HEAD_BYTES];

	if (pread(memory, head, sizeof(head), 0) != (ssize_t)sizeof(head) || memcmp(head, SHARED_MEMORY_MAGIC, 8) != 0)
		return 0;
	const uint64_t written = transfer_get_number(head + SHARED_MEMORY_LINES_AT, 8);
	if (written <= channels->lines_read)
		return 0;
	if (written - channels->lines_read > SHARED_MEMORY_RING_BYTES)
		channels->lines_read = written - SHARED_MEMORY_RING_BYTES;
	const uint64_t at = channels->lines_read % SHARED_MEMORY_RING_BYTES;
	uint64_t length = written - channels->lines_read;
	if (length > SHARED_MEMORY_RING_BYTES - at)
		length = SHARED_MEMORY_RING_BYTES - at;
	const ssize_t got =
	    pread(memory, bytes, length < size ? (size_t)length : size, (off_t)(SHARED_MEMORY_LINES + at));
	channels->lines_read += got > 0 ? (uint64_t)got : 0;
	return got;
}

ssize_t channels_read(struct channels *channels, enum channel channel, void *bytes, size_t size)
{
	const bool is_memory = channel == CHANNEL_PROGRESS && channels->is_file[channel];
	const ssize_t got =
	    is_memory ? read_lines(channels, bytes, size) : read(channels->connection[channel], bytes, size);

	if (got != 0 || !channels->is_file[channel])
		return got;
	errno = EAGAIN;
	return -1;
}

void channels_accept(struct channels *channels)
{
	for (int i = 0; i < CHANNEL_COUNT; i++) {
		if (channels->listening[i] < 0)
			continue;
		int connection = accept4(channels->listening[i], NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
		if (connection < 0)
			continue;
		channels->connection[i] = connection;
		close(channels->listening[i]);
		channels->listening[i] = -1;
	}
}

void channels_forget_console(const struct channels *channels)
{
	int file = channels->connection[CHANNEL_CONSOLE];
	off_t end = channels->is_file[CHANNEL_CONSOLE] ? lseek(file, 0, SEEK_CUR) : 0;

	/* Some file systems cannot do this: there the file keeps its size. */
	if (end > 0 && fallocate(file, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0, end) < 0)
		return;
}

void channels_end(struct channels *channels, enum channel channel)
{
	close(channels->connection[channel]);
	channels->connection[channel] = -1;
}

void channels_close(struct channels *channels)
{
	for (int i = 0; i < CHANNEL_COUNT; i++) {
		if (channels->listening[i] >= 0)
			close(channels->listening[i]);
		if (channels->connection[i] >= 0)
			close(channels->connection[i]);
		channels->listening[i] = channels->connection[i] = -1;
	}
}
