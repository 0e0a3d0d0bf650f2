/* SPDX-License-Identifier: MIT
 *
 * The dataset's rows of one input: of a trace, with the labels that a build gives it, or of a CSV that a build
 * wrote. export and split use it. */
#ifndef DATA_TRACE_ROWS_H
#define DATA_TRACE_ROWS_H

#include "data/csv_read.h"
#include "data/rows.h"
#include "trace/input.h"

/* The consumer. record receives each row of a CSV; put or take receives those of a trace, see struct rows. */
struct trace_rows {
	struct input *input;
	const struct columns *columns; /* for a trace: switch_columns() */
	const char *trace_id; /* for a trace; NULL: the file's name without its extension, "stdin" for standard input */
	enum status (*record)(void *context, const struct csv_record *record, struct error *err);
	enum status (*put)(void *context, const struct dataset_trace *trace, struct buffer *rows, uint64_t count,
			   struct error *err);
	enum status (*take)(void *context, const struct dataset_row *row, struct error *err);
	void *context;
};

/* Adds the line of column names for the following rows. */
void trace_rows_header(const struct trace_rows *rows, struct buffer *out);
/* Passes each row to the consumer. Then reports the findings in the trace and its losses. Needs interrupt_catch(). */
enum status trace_rows_read(const struct trace_rows *rows, struct error *err);

#endif
