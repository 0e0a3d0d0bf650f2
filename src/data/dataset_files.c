/* SPDX-License-Identifier: MIT */
#include "data/dataset_files.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/interrupt.h"
#include "base/memory.h"
#include "base/output_file.h"

#define STAGING     ".dataset.partial"
#define EARLIER     "earlier-" /* prefix of the previous files in the staging directory */
#define CHUNK_BYTES ((size_t)1 << 20)
#define BLOCK_BYTES ((size_t)64 << 10) /* a power of two: each write ends at a multiple of it */

const char *const output_names[OUTPUT_FILES] = {
    "train.csv", "test_seen.csv", "test_unseen.csv", "all.csv", "dataset_meta.json",
};

static enum status writing_failed(const struct output *output, struct error *err)
{
	return error_remedy(
	    err, "make room there or choose another directory with -o; the earlier files in %s are unchanged",
	    output->directory);
}

static void staged_path(const struct output *output, const char *prefix, const char *name, char path[PATH_MAX])
{
	snprintf(path, PATH_MAX, "%s/%s%s", output->staging, prefix, name);
}

static void final_path(const struct output *output, const char *name, char path[PATH_MAX])
{
	snprintf(path, PATH_MAX, "%s/%s", output->directory, name);
}

static void remove_staging(const struct output *output)
{
	char path[PATH_MAX];

	for (size_t i = 0; i < OUTPUT_FILES; i++) {
		staged_path(output, "", output_names[i], path);
		unlink(path);
		staged_path(output, EARLIER, output_names[i], path);
		unlink(path);
	}
	rmdir(output->staging);
}

static void release(struct output *output)
{
	for (size_t i = 0; i < OUTPUT_CSV_FILES; i++) {
		if (output->files[i].fd >= 0)
			close(output->files[i].fd);
		free(output->files[i].held);
	}
	if (output->lock >= 0)
		close(output->lock);
	free(output->directory);
	free(output->staging);
	*output = (struct output){0};
}

enum status output_check_files(const char *directory, struct error *err)
{
	char path[PATH_MAX];
	enum status status = STATUS_OK;

	for (size_t i = 0; i < OUTPUT_FILES && status == STATUS_OK; i++) {
		status = file_join(path, sizeof(path), directory, output_names[i], err);
		if (status == STATUS_OK)
			status = output_check(path, err);
	}
	return status;
}

static enum status make_staging(const struct output *output, struct error *err)
{
	remove_staging(output);
	if (mkdir(output->staging, 0777) < 0) {
		error_system(err, errno, output->staging, "cannot create directory");
		return error_remedy(err, "choose another directory with -o");
	}
	file_give_to_sudo_user(output->staging);
	return STATUS_OK;
}

/* Writes the held and the new bytes up to the last block boundary; holds the rest. */
static enum status write_blocks(struct output_file *file, const char *bytes, size_t length, const char *path,
				struct error *err)
{
	size_t whole = (file->held_length + length) & ~(BLOCK_BYTES - 1);

	if (whole) {
		size_t now = whole - file->held_length;
		enum status status = file_write_both(file->fd, file->held, file->held_length, bytes, now, path, err);
		if (status != STATUS_OK)
			return status;
		file->held_length = 0;
		bytes += now;
		length -= now;
	}
	memcpy(file->held + file->held_length, bytes, length);
	file->held_length += length;
	return STATUS_OK;
}

static enum status write_held(const struct output *output, struct output_file *file, struct error *err)
{
	size_t length = file->held_length;

	file->held_length = 0;
	return file_write_all(file->fd, file->held, length, output->staging, err);
}

static enum status add_to_file(struct output *output, size_t index, const char *bytes, size_t length, uint64_t rows,
			       struct error *err)
{
	char path[PATH_MAX];
	struct output_file *file = &output->files[index];

	staged_path(output, "", output_names[index], path);
	enum status status = write_blocks(file, bytes, length, path, err);
	if (status != STATUS_OK)
		return writing_failed(output, err);
	file->bytes += length;
	file->rows += rows;
	return STATUS_OK;
}

static enum status open_file(struct output *output, size_t index, const struct buffer *header, struct error *err)
{
	char path[PATH_MAX];
	struct output_file *file = &output->files[index];

	staged_path(output, "", output_names[index], path);
	file->held = xmalloc(BLOCK_BYTES);
	file->fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
	if (file->fd < 0)
		return error_system(err, errno, path, "cannot create");
	file_give_to_sudo_user(path);
	return add_to_file(output, index, header->data, header->length, 0, err);
}

static enum status open_files(struct output *output, const struct buffer *header, struct error *err)
{
	enum status status = STATUS_OK;

	for (size_t i = 0; i < OUTPUT_CSV_FILES && status == STATUS_OK; i++)
		status = open_file(output, i, header, err);
	return status == STATUS_OK ? status : writing_failed(output, err);
}

enum status output_begin(struct output *output, const char *directory, const struct buffer *header, struct error *err)
{
	char path[PATH_MAX];
	/* The longest name that is appended to the staging directory must fit too. */
	enum status status = file_join(path, sizeof(path) - 64, directory, STAGING, err);

	*output = (struct output){.lock = -1, .files = {{.fd = -1}, {.fd = -1}, {.fd = -1}, {.fd = -1}}};
	output->directory = xstrdup(directory);
	output->staging = xstrdup(path);
	if (status == STATUS_OK)
		status = file_make_directories(directory, err);
	if (status == STATUS_OK)
		status = file_lock_directory(output->directory, &output->lock, err);
	if (status == STATUS_OK)
		status = output_check_files(directory, err);
	if (status == STATUS_OK)
		status = make_staging(output, err);
	if (status != STATUS_OK) {
		release(output);
		return status;
	}
	status = open_files(output, header, err);
	if (status != STATUS_OK)
		output_discard(output);
	return status;
}

/* Records the offset of a row in train.csv. When the marks are full, removes every second one and doubles the
 * distance. */
static void mark_train(struct output *output)
{
	const struct output_file *train = &output->files[SPLIT_TRAIN];
	uint64_t last = output->mark_count ? output->marks[output->mark_count - 1].rows : 0;

	if (train->rows == last || train->rows - last < output->mark_distance)
		return;
	if (output->mark_count == OUTPUT_MARKS) {
		for (size_t i = 0; i < OUTPUT_MARKS / 2; i++)
			output->marks[i] = output->marks[2 * i + 1];
		output->mark_count = OUTPUT_MARKS / 2;
		output->mark_distance = train->rows / (OUTPUT_MARKS / 2);
	}
	output->marks[output->mark_count++] = (struct output_mark){train->rows, train->bytes};
}

enum status output_rows(struct output *output, enum split_part part, const struct buffer *rows, uint64_t count,
			struct error *err)
{
	enum status status = add_to_file(output, (size_t)part, rows->data, rows->length, count, err);

	if (status == STATUS_OK)
		status = add_to_file(output, OUTPUT_ALL, rows->data, rows->length, count, err);
	if (status == STATUS_OK && part == SPLIT_TRAIN)
		mark_train(output);
	return status;
}

/* Skips up to *rows complete rows of the CSV, and subtracts them from *rows. Returns the bytes skipped; *quoted carries
 * over to the next chunk. */
static size_t pass_rows(const char *bytes, size_t length, bool *quoted, uint64_t *rows)
{
	size_t i = 0;

	for (; i < length && *rows != 0; i++) {
		if (bytes[i] == '"')
			*quoted = !*quoted;
		else if (bytes[i] == '\n' && !*quoted)
			--*rows;
	}
	return i;
}

static enum status read_chunk(const struct output *output, uint64_t offset, char *chunk, size_t *length,
			      struct error *err)
{
	const struct output_file *train = &output->files[SPLIT_TRAIN];
	char path[PATH_MAX];
	ssize_t got;

	do
		got = pread(train->fd, chunk, CHUNK_BYTES, (off_t)offset);
	while (got < 0 && errno == EINTR);
	if (got <= 0) {
		staged_path(output, "", output_names[SPLIT_TRAIN], path);
		return error_system(err, got < 0 ? errno : EIO, path, "cannot read again");
	}
	*length = (size_t)got;
	return interrupt_check(err);
}

static enum status find_cut(const struct output *output, uint64_t kept, char *chunk, uint64_t *cut, struct error *err)
{
	uint64_t lines = kept + 1; /* includes the line of the header */
	bool quoted = false;

	*cut = 0;
	for (size_t i = 0; i < output->mark_count && output->marks[i].rows <= kept; i++) {
		*cut = output->marks[i].offset;
		lines = kept - output->marks[i].rows;
	}
	while (lines > 0) {
		size_t length;
		enum status status = read_chunk(output, *cut, chunk, &length, err);
		if (status != STATUS_OK)
			return status;
		*cut += pass_rows(chunk, length, &quoted, &lines);
	}
	return STATUS_OK;
}

static enum status copy_tail(struct output *output, uint64_t from, char *chunk, struct error *err)
{
	while (from < output->files[SPLIT_TRAIN].bytes) {
		size_t length;
		enum status status = read_chunk(output, from, chunk, &length, err);
		if (status == STATUS_OK)
			status = add_to_file(output, SPLIT_TEST_SEEN, chunk, length, 0, err);
		if (status != STATUS_OK)
			return status;
		from += length;
	}
	return STATUS_OK;
}

enum status output_cut_train(struct output *output, uint64_t kept, struct error *err)
{
	struct output_file *train = &output->files[SPLIT_TRAIN];
	char *chunk = xmalloc(CHUNK_BYTES);
	uint64_t cut;

	enum status status = write_held(output, train, err);
	if (status != STATUS_OK)
		status = writing_failed(output, err);
	if (status == STATUS_OK)
		status = find_cut(output, kept, chunk, &cut, err);
	if (status == STATUS_OK)
		status = copy_tail(output, cut, chunk, err);
	if (status == STATUS_OK && ftruncate(train->fd, (off_t)cut) < 0)
		status = error_system(err, errno, output->staging, "cannot cut train.csv");
	free(chunk);
	if (status != STATUS_OK)
		return status;
	output->files[SPLIT_TEST_SEEN].rows = train->rows - kept;
	train->rows = kept;
	train->bytes = cut;
	return STATUS_OK;
}

static enum status close_files(struct output *output, struct error *err)
{
	for (size_t i = 0; i < OUTPUT_CSV_FILES; i++) {
		int fd = output->files[i].fd;
		if (fd < 0)
			continue;
		enum status status = write_held(output, &output->files[i], err);
		if (status != STATUS_OK)
			return writing_failed(output, err);
		output->files[i].fd = -1;
		if (close(fd) < 0) {
			error_system(err, errno, output->staging, "cannot write %s", output_names[i]);
			return writing_failed(output, err);
		}
	}
	return STATUS_OK;
}

static enum status set_aside(const struct output *output, size_t index, struct error *err)
{
	char from[PATH_MAX];
	char to[PATH_MAX];

	final_path(output, output_names[index], from);
	staged_path(output, EARLIER, output_names[index], to);
	if (rename(from, to) < 0 && errno != ENOENT)
		return error_system(err, errno, from, "cannot replace");
	return STATUS_OK;
}

static enum status move_in(const struct output *output, size_t index, struct error *err)
{
	char from[PATH_MAX];
	char to[PATH_MAX];

	staged_path(output, "", output_names[index], from);
	final_path(output, output_names[index], to);
	if (rename(from, to) < 0)
		return error_system(err, errno, to, "cannot move into the output directory");
	return STATUS_OK;
}

/* Removes the new files and restores the previous ones. */
static void put_back(const struct output *output, size_t moved_in)
{
	char from[PATH_MAX];
	char to[PATH_MAX];

	for (size_t i = 0; i < OUTPUT_FILES; i++) {
		final_path(output, output_names[i], to);
		if (i < moved_in)
			unlink(to);
		staged_path(output, EARLIER, output_names[i], from);
		rename(from, to);
	}
}

enum status output_install(struct output *output, const struct buffer *metadata, struct error *err)
{
	char path[PATH_MAX];
	size_t moved_in = 0;

	staged_path(output, "", output_names[OUTPUT_METADATA], path);
	enum status status = file_replace(path, metadata->data, metadata->length, err);
	if (status == STATUS_SYSTEM)
		status = writing_failed(output, err);
	if (status == STATUS_OK)
		status = close_files(output, err);
	if (status == STATUS_OK)
		status = interrupt_check(err); /* a signal no longer stops the build after this */
	/* The metadata is moved out first and in last: if it exists, the dataset is complete. */
	for (size_t i = OUTPUT_FILES; i-- > 0 && status == STATUS_OK;)
		status = set_aside(output, i, err);
	for (size_t i = 0; i < OUTPUT_FILES && status == STATUS_OK; i++) {
		status = move_in(output, i, err);
		moved_in += status == STATUS_OK;
	}
	if (status != STATUS_OK)
		put_back(output, moved_in);
	output_discard(output);
	return status;
}

void output_write_json(const struct output *output, struct json_writer *json)
{
	json_object_begin(json, "files");
	for (size_t i = 0; i < OUTPUT_CSV_FILES; i++) {
		json_object_begin(json, output_names[i]);
		json_u64(json, "rows", output->files[i].rows);
		json_u64(json, "bytes", output->files[i].bytes);
		json_object_end(json);
	}
	json_object_end(json);
}

void output_discard(struct output *output)
{
	if (!output->staging)
		return;
	remove_staging(output);
	release(output);
}
