/* SPDX-License-Identifier: MIT
 *
 * A dataset in parts: OUTPUT/parts/train-00000-of-00016.csv and so on, and manifest.json with the rows, bytes and
 * SHA-256 of each. The parts of a split, one after the other, are the bytes of its single file: only the first one has
 * the line of column names. A part has at most so many rows; a trace is divided only if it has more. */
#ifndef DATA_PARTS_H
#define DATA_PARTS_H

#include "base/buffer.h"
#include "base/sha256.h"
#include "data/pieces.h"

#define PARTS_NAME_SIZE 64
#define PARTS_MANIFEST  "manifest.json"

struct part {
	size_t split; /* its number */
	char name[PARTS_NAME_SIZE];
	size_t first, count; /* of its pieces */
	uint64_t rows, bytes;
	char sha256[SHA256_TEXT_SIZE];
};

struct parts {
	struct part *items;
	size_t count;
};

struct parts_request {
	const char *const *splits; /* their names, such as "train"; NULL ends them */
	struct pieces *pieces;     /* of each split; the first one is the line of column names, without rows */
	uint64_t rows_max;
	const char *directory; /* exists, and is empty */
	unsigned int jobs;
};

/* Makes the parts from the files of the pieces, which are gone afterwards, side by side. */
enum status parts_make(const struct parts_request *request, struct parts *parts, struct error *err);
void parts_free(struct parts *parts);

/* Whether parts_make() has written here: there is a manifest. */
bool parts_are_there(const char *path);
/* STATUS_USAGE if path exists, and is not a directory that holds parts and their manifest alone. */
enum status parts_check(const char *path, const char *const *splits, struct error *err);
/* Removes a directory of parts: its parts and manifest, and then itself if nothing else is in it. */
void parts_remove(const char *path, const char *const *splits);

#endif
