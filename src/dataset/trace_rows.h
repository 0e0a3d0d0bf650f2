/* SPDX-License-Identifier: MIT
 *
 * The dataset's rows of one input: of a trace as build makes them, or of a CSV that build made. What export and split
 * have in common. */
#ifndef DATASET_TRACE_ROWS_H
#define DATASET_TRACE_ROWS_H

#include "dataset/csv_read.h"
#include "trace/input.h"

struct trace_rows {
	struct input *input;
	bool extended;        /* a trace's rows have the columns of csv_extended.h */
	const char *trace_id; /* of a trace; NULL: the file's name without its ending, "stdin" for standard input */
	enum status (*put)(void *context, const struct csv_record *record, struct error *err);
	void *context;
};

/* Adds the line of column names of the rows to come. */
void trace_rows_header(const struct trace_rows *rows, struct buffer *out);
/* Gives each row to put. Then says what was found in the trace, and what it lost. Needs interrupt_catch(). */
enum status trace_rows_read(const struct trace_rows *rows, struct error *err);

#endif
