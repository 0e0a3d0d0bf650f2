/* SPDX-License-Identifier: MIT
 *
 * The output of a command: standard output, a device, or a file that is complete or absent. Memory stays bounded. */
#ifndef BASE_OUTPUT_STREAM_H
#define BASE_OUTPUT_STREAM_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/memory.h"

struct output_stream {
	struct buffer pending; /* the next output_stream_write() writes it */
	uint64_t written;      /* bytes, so far */
	char *path;            /* for messages */
	char *temporary;       /* renamed to path at the end; NULL: path is written directly */
	int fd;
	bool is_terminal;       /* control characters are written as \xNN */
	struct cleanup cleanup; /* removes temporary */
};

/* path "-" is standard output. A device or a pipe is written to directly; a file that output_check() refuses is
 * STATUS_USAGE. Needs no output_stream_discard() after a failure. The stream must not move in memory until its end. */
enum status output_stream_open(struct output_stream *out, const char *path, struct error *err);
/* Writes the pending bytes. */
enum status output_stream_write(struct output_stream *out, struct error *err);
/* The same, but only if enough bytes are pending for a system call. Called after every piece. */
enum status output_stream_write_if_full(struct output_stream *out, struct error *err);
/* Writes the rest and puts the file in place. After a failure no output remains. Needs no output_stream_discard() in
 * either case. */
enum status output_stream_finish(struct output_stream *out, struct error *err);
/* Ends without a result: an existing file stays unchanged. */
void output_stream_discard(struct output_stream *out);

/* Checks path with output_check() and writes a whole output: a stream, or a file that is complete or as before. */
enum status output_write(const char *path, const void *bytes, size_t length, struct error *err);
/* The same for metadata of a run: only a directory is refused. */
enum status output_replace(const char *path, const void *bytes, size_t length, struct error *err);
/* The same for a record in a directory that may be copied from others, under a name that the user did not choose: a
 * link, a device or a pipe of that name is replaced, never written to. */
enum status output_replace_record(const char *path, const void *bytes, size_t length, struct error *err);

#endif
