/* SPDX-License-Identifier: MIT
 *
 * Rows of the dataset as Python's csv module writes them: commas, CR LF at the end of a row, a field quoted
 * only where it holds a comma, a quote, CR or LF, quotes within doubled (RFC 4180). Bytes of names go in as they are,
 * whether UTF-8 or not. Pure. */
#ifndef DATASET_CSV_H
#define DATASET_CSV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/decimal.h"

#define CSV_COLUMNS 9
extern const char *const csv_columns[CSV_COLUMNS];
/* With the further ones of csv_extended.h: their number, and the name of each. */
size_t csv_column_count(bool extended);
const char *csv_column_name(size_t column);

struct csv_text {
	const char *bytes;
	size_t length;
};

struct csv_extension;
struct csv_fields;

struct csv_row {
	/* As a text trace wrote it; bytes NULL: ts_ns in seconds with nine decimals. */
	struct csv_text timestamp;
	uint64_t ts_ns;
	uint64_t time_diff_ns;
	bool time_diff_negative; /* a text trace can go backwards */
	struct csv_text task_name, prev_state, prev_comm;
	int32_t pid;
	uint32_t cpu;
	const struct csv_extension *extension; /* of an extended dataset */
	/* Fields that were made before: task_name and pid, prev_state and prev_comm, a comma behind each. Their names
	 * and pid are then not looked at. NULL: they are made of those. */
	const struct csv_fields *task, *left;
	struct decimal_second second; /* of the row before, where the struct was its too */
};

/* Two fields as they stand in a row. The whole array can be read. */
struct csv_fields {
	uint32_t length;
	char bytes[100];
};

/* A task's name is at most 16 bytes long, a state's text 31. */
void csv_make_task(struct csv_fields *fields, struct csv_text task_name, int32_t pid);
void csv_make_left(struct csv_fields *fields, struct csv_text prev_state, struct csv_text prev_comm);

/* Adds the line of column names. */
void csv_add_header(struct buffer *out, bool extended);
/* Adds what ends each row of one trace, for csv_add_row: workload_type, trace_id and the line end, which further
 * columns add themselves. */
void csv_add_labels(struct buffer *out, const char *workload_type, const char *trace_id, bool extended);
/* Adds a row; labels is what csv_add_labels made. */
void csv_add_row(struct buffer *out, struct csv_row *row, const struct buffer *labels);

#endif
