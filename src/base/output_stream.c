/* SPDX-License-Identifier: MIT */
#include "base/output_stream.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/escape.h"
#include "base/file.h"
#include "base/output_file.h"

#define WRITE_BYTES ((size_t)1 << 18)

static void remove_temporary(void *context)
{
	const struct output_stream *out = context;

	if (out->temporary)
		unlink(out->temporary);
}

static void release(struct output_stream *out)
{
	cleanup_remove(&out->cleanup);
	if (out->fd > STDERR_FILENO)
		close(out->fd);
	buffer_free(&out->pending);
	free(out->path);
	free(out->temporary);
	*out = (struct output_stream){.fd = -1};
}

static enum status open_output(struct output_stream *out, const char *path, bool may_be_stream, struct error *err)
{
	bool to_stdout = may_be_stream && strcmp(path, "-") == 0;
	enum status status = STATUS_OK;

	*out = (struct output_stream){.fd = -1};
	out->path = xstrdup(to_stdout ? "standard output" : path);
	if (may_be_stream)
		status = output_open_stream(path, &out->fd, err);
	if (status == STATUS_OK && out->fd < 0)
		status = output_create(path, &out->temporary, &out->fd, err);
	cleanup_add(&out->cleanup, remove_temporary, out);
	if (status != STATUS_OK)
		release(out);
	else
		out->is_terminal = to_stdout && isatty(out->fd);
	return status;
}

enum status output_stream_open(struct output_stream *out, const char *path, struct error *err)
{
	enum status status = output_check(path, err);

	if (status == STATUS_OK)
		return open_output(out, path, true, err);
	*out = (struct output_stream){.fd = -1};
	return status;
}

enum status output_stream_write(struct output_stream *out, struct error *err)
{
	if (out->is_terminal)
		escape_buffer(&out->pending);
	if (out->pending.length == 0)
		return STATUS_OK;
	enum status status = file_write_all(out->fd, out->pending.data, out->pending.length,
					    out->temporary ? out->temporary : out->path, err);
	if (status == STATUS_OK)
		out->written += out->pending.length;
	buffer_clear(&out->pending);
	return status;
}

enum status output_stream_write_if_full(struct output_stream *out, struct error *err)
{
	if (out->pending.length < WRITE_BYTES)
		return STATUS_OK;
	return output_stream_write(out, err);
}

static enum status put_in_place(struct output_stream *out, struct error *err)
{
	if (fsync(out->fd) < 0 && errno != EINVAL && errno != ENOTSUP)
		return error_system(err, errno, out->temporary, "cannot write");
	int fd = out->fd;
	out->fd = -1;
	if (close(fd) < 0)
		return error_system(err, errno, out->temporary, "cannot write");
	if (rename(out->temporary, out->path) < 0)
		return error_system(err, errno, out->path, "cannot rename the finished file to this name");
	free(out->temporary);
	out->temporary = NULL;
	return STATUS_OK;
}

enum status output_stream_finish(struct output_stream *out, struct error *err)
{
	enum status status = output_stream_write(out, err);

	if (status == STATUS_OK && out->temporary)
		status = put_in_place(out, err);
	output_stream_discard(out);
	return status;
}

void output_stream_discard(struct output_stream *out)
{
	remove_temporary(out);
	release(out);
}

static enum status replace(const char *path, bool may_be_stream, const void *bytes, size_t length, struct error *err)
{
	struct output_stream out;
	enum status status = output_check_directory(path, err);

	if (status == STATUS_OK)
		status = open_output(&out, path, may_be_stream, err);
	if (status != STATUS_OK)
		return status;
	status = file_write_all(out.fd, bytes, length, out.temporary ? out.temporary : path, err);
	if (status == STATUS_OK)
		return output_stream_finish(&out, err);
	output_stream_discard(&out);
	return status;
}

enum status output_replace(const char *path, const void *bytes, size_t length, struct error *err)
{
	return replace(path, true, bytes, length, err);
}

enum status output_replace_record(const char *path, const void *bytes, size_t length, struct error *err)
{
	return replace(path, false, bytes, length, err);
}

enum status output_write(const char *path, const void *bytes, size_t length, struct error *err)
{
	enum status status = output_check(path, err);

	return status == STATUS_OK ? output_replace(path, bytes, length, err) : status;
}
