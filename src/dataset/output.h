/* SPDX-License-Identifier: MIT
 *
 * The files of a dataset while they are being made: written in OUTPUT/.dataset.partial, then moved into
 * OUTPUT all together, so that there is either the earlier dataset or the new one. */
#ifndef DATASET_OUTPUT_H
#define DATASET_OUTPUT_H

#include <stdint.h>

#include "base/buffer.h"
#include "base/error.h"
#include "dataset/split.h"

/* The file of each split_part, and after them all.csv and dataset_meta.json. */
enum { OUTPUT_ALL = SPLIT_PARTS, OUTPUT_CSV_FILES, OUTPUT_METADATA = OUTPUT_CSV_FILES, OUTPUT_FILES };
extern const char *const output_names[OUTPUT_FILES];

struct output_file {
	int fd;
	uint64_t rows, bytes;
	/* The last bytes, not written yet, so that each write ends with a block of the page cache: the kernel takes
	 * less time for whole ones. */
	char *held;
	size_t held_length;
};

/* How many rows of train.csv lie before a byte of it: a few places, evenly, so that a cut need not count them all. */
#define OUTPUT_MARKS 128
struct output_mark {
	uint64_t rows, offset;
};

struct output {
	char *directory, *staging;
	int lock; /* the directory, locked against another build */
	struct output_file files[OUTPUT_CSV_FILES];
	struct output_mark marks[OUTPUT_MARKS];
	size_t mark_count;
	uint64_t mark_distance; /* rows */
};

/* Makes the directory if it is missing, removes the files of a killed build, and creates the CSV files
 * with their headers. STATUS_USAGE if another build is writing there. After an error, and after
 * output_install(), nothing is left to be done; otherwise end with output_discard(). */
enum status output_begin(struct output *output, const char *directory, bool extended, struct error *err);
/* Adds whole rows to the file of part and to all.csv, where the parts are expected in their order. */
enum status output_rows(struct output *output, enum split_part part, const struct buffer *rows, uint64_t count,
			struct error *err);
/* Moves all but the first kept rows of train.csv to test_seen.csv, which has none. */
enum status output_cut_train(struct output *output, uint64_t kept, struct error *err);
/* Puts everything in place of the earlier dataset. */
enum status output_install(struct output *output, const struct buffer *metadata, struct error *err);
/* Removes what was written; does nothing if output is zeroed, discarded or installed. */
void output_discard(struct output *output);

#endif
