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
#include "data/pieces.h"
#include "data/split.h"

/* One file per split_part, then all.csv; the directory of parts (dataset/parts.h), and dataset_meta.json. */
enum { OUTPUT_ALL = SPLIT_PARTS, OUTPUT_CSV_FILES, OUTPUT_PARTS = OUTPUT_CSV_FILES, OUTPUT_METADATA, OUTPUT_FILES };
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

struct output_form {
	uint64_t part_rows; /* of each part at most; 0: single files, and all.csv */
	unsigned int jobs;  /* parts that are made side by side */
};

struct output {
	char *directory, *staging;
	struct output_form form;
	int lock; /* the directory, locked against another build */
	struct output_file files[OUTPUT_CSV_FILES];
	struct output_mark marks[OUTPUT_MARKS];
	size_t mark_count;
	uint64_t mark_distance; /* rows */
	/* Of a dataset in parts: files have no descriptor, and all.csv is only counted. */
	struct pieces pieces[SPLIT_PARTS];
};

/* STATUS_USAGE if an output would replace a directory or a trace. Without in_parts another's directory "parts" stays.
 */
enum status output_check_files(const char *directory, bool in_parts, struct error *err);
/* Makes the directory if it is missing, removes the files of a killed build, and creates the CSV files
 * with this header. STATUS_USAGE if another build is writing there. After an error, or
 * after output_install(), no cleanup is needed; otherwise call output_discard(). */
enum status output_begin(struct output *output, const char *directory, const struct output_form *form,
			 const struct buffer *header, struct error *err);
/* Adds complete rows to the file of part and to all.csv. Call it in the order of parts. Not of a dataset in parts. */
enum status output_rows(struct output *output, enum split_part part, const struct buffer *rows, uint64_t count,
			struct error *err);
/* The same of a dataset in parts, for rows in files of the staging directory. */
enum status output_pieces(struct output *output, enum split_part part, struct pieces *pieces, struct error *err);
/* Moves all rows of train.csv after the first kept ones to test_seen.csv, which must be empty. */
enum status output_cut_train(struct output *output, uint64_t kept, struct error *err);
/* The object "files" of dataset_meta.json; of a dataset in parts, the name of the manifest too. */
void output_write_json(const struct output *output, struct json_writer *json);
/* Names each file, or the parts of each split. */
void output_report(const struct output_file files[OUTPUT_CSV_FILES], bool in_parts,
		   void (*show)(const char *name, uint64_t rows, uint64_t bytes));
/* Replaces the previous dataset. */
enum status output_install(struct output *output, const struct buffer *metadata, struct error *err);
/* Removes the files written; does nothing if output is zeroed, discarded or installed. */
void output_discard(struct output *output);

#endif
