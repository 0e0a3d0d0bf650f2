/* SPDX-License-Identifier: MIT
 *
 * The output files of a dataset build: written in OUTPUT/.dataset.partial, then moved into OUTPUT together, so that
 * OUTPUT has either the previous dataset or the new one. */
#ifndef DATA_DATASET_FILES_H
#define DATA_DATASET_FILES_H

#include <stdint.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/json.h"
#include "data/split.h"

/* One file per split_part, then all.csv and dataset_meta.json. */
enum { OUTPUT_ALL = SPLIT_PARTS, OUTPUT_CSV_FILES, OUTPUT_METADATA = OUTPUT_CSV_FILES, OUTPUT_FILES };
extern const char *const output_names[OUTPUT_FILES];

struct output_file {
	int fd;
	uint64_t rows, bytes;
	/* The last bytes, not yet written. Each write ends on a page-cache block boundary: whole blocks are faster. */
	char *held;
	size_t held_length;
};

/* Row numbers at a few evenly spaced offsets of train.csv, so that a cut does not count all rows. */
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

/* STATUS_USAGE if an output would replace a directory or a trace. */
enum status output_check_files(const char *directory, struct error *err);
/* Makes the directory if it is missing, removes the files of a killed build, and creates the CSV files
 * with this header. STATUS_USAGE if another build is writing there. After an error, or
 * after output_install(), no cleanup is needed; otherwise call output_discard(). */
enum status output_begin(struct output *output, const char *directory, const struct buffer *header, struct error *err);
/* Adds complete rows to the file of part and to all.csv. Call it in the order of parts. */
enum status output_rows(struct output *output, enum split_part part, const struct buffer *rows, uint64_t count,
			struct error *err);
/* Moves all rows of train.csv after the first kept ones to test_seen.csv, which must be empty. */
enum status output_cut_train(struct output *output, uint64_t kept, struct error *err);
/* The object "files" of dataset_meta.json. */
void output_write_json(const struct output *output, struct json_writer *json);
/* Replaces the previous dataset. */
enum status output_install(struct output *output, const struct buffer *metadata, struct error *err);
/* Removes the files written; does nothing if output is zeroed, discarded or installed. */
void output_discard(struct output *output);

#endif
