/* SPDX-License-Identifier: MIT
 *
 * A dataset's CSV read again, row by row, as build or the original tool wrote it. Pure and streaming; input is
 * hostile. */
#ifndef DATASET_CSV_READ_H
#define DATASET_CSV_READ_H

#include "base/error.h"
#include "dataset/csv.h"

#define CSV_FIELDS_MAX 32

/* The columns of every dataset, by place. */
enum csv_place {
	CSV_TIMESTAMP,
	CSV_TIME_DIFF,
	CSV_TASK_NAME,
	CSV_PID,
	CSV_CPU,
	CSV_PREV_STATE,
	CSV_PREV_COMM,
	CSV_WORKLOAD_TYPE,
	CSV_TRACE_ID,
};

/* Bytes within the file. A field has its quotes. */
struct csv_record {
	struct csv_text whole; /* with the line end, if there is one */
	struct csv_text fields[CSV_FIELDS_MAX];
	size_t count; /* at least CSV_COLUMNS */
};

struct csv_reader {
	const char *name; /* of the file, for errors */
	const char *at, *end;
	uint64_t line;
	struct csv_text header; /* without its line end */
};

/* Whether the file begins as a dataset does: with the nine names, in their order. */
bool csv_is_dataset(const void *bytes, size_t length);

/* Of a dataset; goes past the header. The bytes must outlive the reader and all records. */
void csv_reader_open(struct csv_reader *reader, const void *bytes, size_t length, const char *name);
/* STATUS_OK with the next row, STATUS_END, or STATUS_CORRUPT with its line: a quote that is not closed, or another
 * number of fields than a dataset can have. */
enum status csv_reader_next(struct csv_reader *reader, struct csv_record *record, struct error *err);

/* The field's value, without its quotes, into to. Returns its length; SIZE_MAX if it is longer than size. */
size_t csv_unquote(const struct csv_text *field, char *to, size_t size);

#endif
