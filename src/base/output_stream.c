/* SPDX-License-Identifier: MIT */
#include "base/output_stream.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/escape.h"
#include "base/file.h"

#define WRITE_BYTES ((size_t)1 << 18)

static void release_sink(struct output_stream *sink)
{
	if (sink->fd > STDERR_FILENO)
		close(sink->fd);
	buffer_free(&sink->pending);
	free(sink->path);
	free(sink->temporary);
	*sink = (struct output_stream){.fd = -1};
}

enum status output_stream_open(struct output_stream *sink, const char *path, enum output_kind kind, struct error *err)
{
	bool to_stdout = strcmp(path, "-") == 0;

	*sink = (struct output_stream){.fd = -1, .kind = kind};
	sink->path = strdup(to_stdout ? "standard output" : path);
	if (!sink->path)
		return error_system(err, ENOMEM, path, "cannot write");
	enum status status = output_check(path, kind, NULL, err);
	if (status == STATUS_OK)
		status = output_open_stream(path, &sink->fd, err);
	if (status == STATUS_OK && sink->fd < 0)
		status = output_create(path, &sink->temporary, &sink->fd, err);
	if (status != STATUS_OK)
		release_sink(sink);
	else
		sink->is_terminal = to_stdout && isatty(sink->fd);
	return status;
}

enum status output_stream_write(struct output_stream *sink, struct error *err)
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

enum status output_stream_write_if_full(struct output_stream *sink, struct error *err)
{
	if (sink->pending.length < WRITE_BYTES && !sink->pending.failed)
		return STATUS_OK;
	return output_stream_write(sink, err);
}

static enum status put_in_place(struct output_stream *sink, struct error *err)
{
	if (fsync(sink->fd) < 0 && errno != EINVAL && errno != ENOTSUP)
		return error_system(err, errno, sink->temporary, "cannot write");
	int fd = sink->fd;
	sink->fd = -1;
	if (close(fd) < 0)
		return error_system(err, errno, sink->temporary, "cannot write");
	enum status status = output_put(sink->temporary, sink->path, sink->kind, err);
	if (status != STATUS_OK)
		return status;
	free(sink->temporary);
	sink->temporary = NULL;
	return STATUS_OK;
}

enum status output_stream_finish(struct output_stream *sink, struct error *err)
{
	enum status status = output_stream_write(sink, err);

	if (status == STATUS_OK && sink->temporary)
		status = put_in_place(sink, err);
	output_stream_discard(sink);
	return status;
}

void output_stream_discard(struct output_stream *sink)
{
	if (sink->temporary)
		unlink(sink->temporary);
	release_sink(sink);
}
