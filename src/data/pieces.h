/* SPDX-License-Identifier: MIT
 *
 * Rows in files of at most so many rows each, one after the other: what the parts of a dataset are made from. */
#ifndef DATA_PIECES_H
#define DATA_PIECES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct piece {
	char *path;
	uint64_t rows, bytes;
};

/* A zeroed struct is empty. */
struct pieces {
	struct piece *items;
	size_t count;
};

/* Takes over path, also if memory runs out (false). */
bool pieces_add(struct pieces *pieces, char *path, uint64_t rows, uint64_t bytes);
/* Moves the pieces of more, from number first on, to the end. */
bool pieces_move(struct pieces *pieces, struct pieces *more, size_t first);
/* Moves the rows after the first kept ones to the end of rest. One piece may become two files. */
enum status pieces_divide(struct pieces *pieces, uint64_t kept, struct pieces *rest, struct error *err);
/* The files stay. */
void pieces_free(struct pieces *pieces);

/* The files of a list are DIRECTORY/piece-NUMBER-0 and so on. */
struct piece_writer {
	const char *directory;
	uint64_t number, rows_max;
	struct pieces pieces; /* the last one is being written */
	int fd;               /* 0: none */
};

/* Adds whole rows. No file is made for none. */
enum status piece_writer_add(struct piece_writer *writer, const char *rows, size_t length, uint64_t count,
			     struct error *err);
/* The list is complete. Call it also after a failure. */
enum status piece_writer_end(struct piece_writer *writer, struct error *err);

/* The bytes of the next *rows rows: counts line ends outside of quotes, down to 0. */
size_t csv_pass_rows(const char *bytes, size_t length, bool *quoted, uint64_t *rows);

#endif
