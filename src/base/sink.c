/* SPDX-License-Identifier: MIT */
#include "base/sink.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/escape.h"
#include "base/file.h"

#define WRITE_BYTES ((size_t)1 << 18)

static void release_sink(struct sink *sink)
{
	if (sink->fd > STDERR_FILENO)
		close(sink->fd);
	buffer_free(&sink->pending);
	free(sink->path);
	free(sink->temporary);
	*sink = (struct sink){.fd = -1};
}

static enum status open_new(struct sink *sink, struct error *err)
{
	size_t size = strlen(sink->path) + sizeof(".partial");

	sink->temporary = malloc(size);
	if (!sink->temporary)
		return error_system(err, ENOMEM, sink->path, "cannot write");
	snprintf(sink->temporary, size, "%s.partial", sink->path);
	sink->fd = file_create(sink->temporary, O_WRONLY);
	if (sink->fd >= 0)
		return STATUS_OK;
	error_system(err, errno, sink->temporary, "cannot create");
	return error_remedy(err, "choose another file with -o");
}

enum status sink_open(struct sink *sink, const char *path, struct error *err)
{
	struct stat info;
	enum status status = STATUS_OK;

	*sink = (struct sink){.fd = STDOUT_FILENO};
	bool to_stdout = strcmp(path, "-") == 0;
	sink->path = strdup(to_stdout ? "standard output" : path);
	if (!sink->path)
		return error_system(err, ENOMEM, path, "cannot write");
	sink->is_terminal = to_stdout && isatty(STDOUT_FILENO);
	if (to_stdout)
		return STATUS_OK;
	if (stat(path, &info) == 0 && S_ISDIR(info.st_mode)) {
		status = error_set(err, STATUS_USAGE, path, "is a directory; a file has to be written there");
	} else if (stat(path, &info) == 0 && !S_ISREG(info.st_mode)) {
		sink->fd = open(path, O_WRONLY | O_CLOEXEC);
		if (sink->fd < 0)
			status = error_system(err, errno, path, "cannot open");
	} else {
		status = open_new(sink, err);
	}
	if (status != STATUS_OK)
		release_sink(sink);
	return status;
}

enum status sink_write(struct sink *sink, struct error *err)
{
	if (sink->is_terminal)
		escape_buffer(&sink->pending);
	if (sink->pending.failed)
		return error_system(err, ENOMEM, sink->path, "cannot write");
	if (sink->pending.length == 0)
		return STATUS_OK;
	enum status status = file_write_all(sink->fd, sink->pending.data, sink->pending.length,
					    sink->temporary ? sink->temporary : sink->path, err);
	if (status == STATUS_OK)
		sink->written += sink->pending.length;
	buffer_clear(&sink->pending);
	return status;
}

enum status sink_write_if_full(struct sink *sink, struct error *err)
{
	if (sink->pending.length < WRITE_BYTES && !sink->pending.failed)
		return STATUS_OK;
	return sink_write(sink, err);
}

static enum status put_in_place(struct sink *sink, struct error *err)
{
	if (fsync(sink->fd) < 0 && errno != EINVAL && errno != ENOTSUP)
		return error_system(err, errno, sink->temporary, "cannot write");
	int fd = sink->fd;
	sink->fd = -1;
	if (close(fd) < 0)
		return error_system(err, errno, sink->temporary, "cannot write");
	if (rename(sink->temporary, sink->path) < 0)
		return error_system(err, errno, sink->path, "cannot put in place");
	file_give_to_sudo_user(sink->path);
	free(sink->temporary);
	sink->temporary = NULL;
	return STATUS_OK;
}

enum status sink_finish(struct sink *sink, struct error *err)
{
	enum status status = sink_write(sink, err);

	if (status == STATUS_OK && sink->temporary)
		status = put_in_place(sink, err);
	sink_discard(sink);
	return status;
}

void sink_discard(struct sink *sink)
{
	if (sink->temporary)
		unlink(sink->temporary);
	release_sink(sink);
}
