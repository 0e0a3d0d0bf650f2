/* SPDX-License-Identifier: MIT
 *
 * Reads a dataset's CSV row by row, as written by picknext build or collect_traces.py. Pure and streaming; input
 * is hostile. */
#ifndef DATA_CSV_READ_H
#define DATA_CSV_READ_H

#include "base/error.h"
#include "data/switch_rows.h"

#define CSV_FIELDS_MAX 32

struct csv_text {
	const char *bytes;
	size_t length;
};

/* Indices of the columns of every dataset. */
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

/* Bytes within the file. A field includes its quotes. */
struct csv_record {
	struct csv_text whole; /* including the line end, if any */
	struct csv_text fields[CSV_FIELDS_MAX];
	size_t count; /* at least CSV_COLUMNS */
};

struct csv_reader {
	const char *name; /* of the file, for error messages */
	const char *at, *end;
	uint64_t line;
	struct csv_text header; /* without its line end */
};

/* True if the file starts with the nine column names of a dataset, in order. */
bool csv_is_dataset(const void *bytes, size_t length);

/* Opens a dataset and skips the header. The bytes must outlive the reader and all records. */
void csv_reader_open(struct csv_reader *reader, const void *bytes, size_t length, const char *name);
/* STATUS_OK with the next row, STATUS_END, or STATUS_CORRUPT with its line: an unclosed quote, or a wrong
 * number of fields. */
enum status csv_reader_next(struct csv_reader *reader, struct csv_record *record, struct error *err);

/* Copies the field's value without its quotes to to. Returns its length; SIZE_MAX if it is longer than size. */
size_t csv_unquote(const struct csv_text *field, char *to, size_t size);

#endif
