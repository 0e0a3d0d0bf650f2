/* SPDX-License-Identifier: MIT */
#include "data/pieces.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/interrupt.h"

#define CHUNK_BYTES ((size_t)1 << 20)

size_t csv_pass_rows(const char *bytes, size_t length, bool *quoted, uint64_t *rows)
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

/* --- Lists --- */

static enum status no_memory(struct error *err)
{
	return error_system(err, ENOMEM, NULL, "cannot keep so many parts");
}

bool pieces_add(struct pieces *pieces, char *path, uint64_t rows, uint64_t bytes)
{
	struct piece *grown = path ? realloc(pieces->items, (pieces->count + 1) * sizeof(*grown)) : NULL;

	if (!grown) {
		free(path);
		return false;
	}
	pieces->items = grown;
	grown[pieces->count++] = (struct piece){path, rows, bytes};
	return true;
}

bool pieces_move(struct pieces *pieces, struct pieces *more, size_t first)
{
	size_t end = more->count;
	bool kept = true;

	for (size_t i = first; i < end; i++) {
		const struct piece *piece = &more->items[i];
		kept = kept && pieces_add(pieces, piece->path, piece->rows, piece->bytes);
		if (!kept)
			free(piece->path);
	}
	more->count = first < end ? first : end;
	return kept;
}

void pieces_free(struct pieces *pieces)
{
	for (size_t i = 0; i < pieces->count; i++)
		free(pieces->items[i].path);
	free(pieces->items);
	*pieces = (struct pieces){0};
}

/* --- Writing --- */

static int create(const char *path)
{
	int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);

	if (fd >= 0)
		file_give_open_to_sudo_user(fd);
	return fd;
}

static enum status close_file(struct piece_writer *writer, struct error *err)
{
	int fd = writer->fd;

	writer->fd = 0;
	if (fd > 0 && close(fd) < 0)
		return error_system(err, errno, writer->directory, "cannot write a part");
	return STATUS_OK;
}

static enum status open_next(struct piece_writer *writer, struct error *err)
{
	char *path = NULL;
	enum status status = close_file(writer, err);

	if (status != STATUS_OK)
		return status;
	if (asprintf(&path, "%s/piece-%" PRIu64 "-%zu", writer->directory, writer->number, writer->pieces.count) < 0 ||
	    !pieces_add(&writer->pieces, path, 0, 0))
		return no_memory(err);
	writer->fd = create(path);
	return writer->fd < 0 ? error_system(err, errno, path, "cannot create") : STATUS_OK;
}

enum status piece_writer_add(struct piece_writer *writer, const char *rows, size_t length, uint64_t count,
			     struct error *err)
{
	enum status status = STATUS_OK;

	while (count > 0 && status == STATUS_OK) {
		struct piece *piece = writer->pieces.count ? &writer->pieces.items[writer->pieces.count - 1] : NULL;
		if (!piece || piece->rows == writer->rows_max) {
			status = open_next(writer, err);
			continue;
		}
		uint64_t room = writer->rows_max - piece->rows, left = room;
		bool quoted = false;
		size_t fits = count <= room ? length : csv_pass_rows(rows, length, &quoted, &left);
		uint64_t now = count <= room ? count : room;
		status = file_write_all(writer->fd, rows, fits, piece->path, err);
		if (status != STATUS_OK)
			return error_remedy(err, "make room there or choose another directory with -o");
		piece->rows += now;
		piece->bytes += fits;
		rows += fits;
		length -= fits;
		count -= now;
	}
	return status;
}

enum status piece_writer_end(struct piece_writer *writer, struct error *err)
{
	return close_file(writer, err);
}

/* --- Cutting --- */

static enum status read_chunk(int fd, const char *path, char *chunk, size_t *length, struct error *err)
{
	ssize_t got;

	do
		got = read(fd, chunk, CHUNK_BYTES);
	while (got < 0 && errno == EINTR && !interrupt_signal());
	*length = got > 0 ? (size_t)got : 0;
	return got < 0 ? error_system(err, errno, path, "cannot read again") : interrupt_check(err);
}

/* Copies what follows kept rows; *cut: where they end. */
static enum status copy_rest(int from, int to, const struct piece *piece, uint64_t kept, uint64_t *cut,
			     struct error *err)
{
	char *chunk = malloc(CHUNK_BYTES);
	enum status status = chunk ? STATUS_OK : no_memory(err);
	bool quoted = false;
	size_t length = 1;

	for (*cut = 0; status == STATUS_OK && length > 0;) {
		status = read_chunk(from, piece->path, chunk, &length, err);
		size_t before = status == STATUS_OK ? csv_pass_rows(chunk, length, &quoted, &kept) : 0;
		*cut += before;
		if (status == STATUS_OK)
			status = file_write_all(to, chunk + before, length - before, piece->path, err);
	}
	free(chunk);
	return status;
}

static bool insert(struct pieces *pieces, size_t place, char *path, uint64_t rows, uint64_t bytes)
{
	if (!pieces_add(pieces, path, rows, bytes))
		return false;
	const struct piece last = pieces->items[pieces->count - 1];
	memmove(&pieces->items[place + 1], &pieces->items[place], (pieces->count - 1 - place) * sizeof(*pieces->items));
	pieces->items[place] = last;
	return true;
}

/* The other rows are in a new file beside it. */
static enum status cut_piece(struct pieces *pieces, size_t piece, uint64_t kept, struct error *err)
{
	struct piece *it = &pieces->items[piece];
	const uint64_t rows = it->rows - kept;
	char *path = NULL;
	uint64_t cut = 0;

	if (asprintf(&path, "%s-rest", it->path) < 0)
		return no_memory(err);
	int from = open(it->path, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
	int to = from >= 0 ? create(path) : -1;
	enum status status = to < 0 ? error_system(err, errno, from < 0 ? it->path : path, "cannot open")
				    : copy_rest(from, to, it, kept, &cut, err);
	if (status == STATUS_OK && ftruncate(from, (off_t)cut) < 0)
		status = error_system(err, errno, it->path, "cannot cut");
	if (to >= 0 && close(to) < 0 && status == STATUS_OK)
		status = error_system(err, errno, path, "cannot write");
	if (from >= 0)
		close(from);
	if (status != STATUS_OK) {
		free(path);
		return status;
	}
	const uint64_t bytes = it->bytes - cut;
	it->rows = kept;
	it->bytes = cut;
	return insert(pieces, piece + 1, path, rows, bytes) ? STATUS_OK : no_memory(err);
}

enum status pieces_divide(struct pieces *pieces, uint64_t kept, struct pieces *rest, struct error *err)
{
	size_t at = 0;
	enum status status = STATUS_OK;

	while (at < pieces->count && pieces->items[at].rows <= kept)
		kept -= pieces->items[at++].rows;
	if (at < pieces->count && kept > 0)
		status = cut_piece(pieces, at++, kept, err);
	if (status == STATUS_OK && !pieces_move(rest, pieces, at))
		status = no_memory(err);
	return status;
}
