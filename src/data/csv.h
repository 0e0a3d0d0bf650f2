/* SPDX-License-Identifier: MIT
 *
 * Rows of the dataset in the format of Python's csv module (base/csv_field.h): commas, CR LF at the end of a row.
 * Names are copied as bytes, even if they are not valid UTF-8. Pure. */
#ifndef DATA_CSV_H
#define DATA_CSV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/decimal.h"
#include "data/column.h"

#define CSV_COLUMNS 9 /* of every dataset; they are those of collect_traces.py */

/* Which columns follow those of every dataset, in this order. */
struct csv_layout {
	bool scheduler, extended;
};
/* The values of --columns. */
#define CSV_LAYOUTS "standard|extended|scheduler|extended,scheduler"
/* text: one of them; NULL is "standard". */
struct csv_layout csv_layout_of(const char *text);
size_t csv_column_count(struct csv_layout layout);
/* NULL after the last one. */
const struct switch_column *csv_column_at(struct csv_layout layout, size_t index);
/* Adds the line of column names. */
void csv_add_header(struct buffer *out, struct csv_layout layout);

struct csv_text {
	const char *bytes;
	size_t length;
};

#define CSV_STATES 64u

/* The texts of a value of prev_state. */
struct csv_state {
	uint64_t state;
	uint32_t length; /* plus 1; 0: empty */
	char field[COLUMN_BYTES_MAX];
};

/* A column after the standard values, or labels that follow one another. */
struct csv_step {
	char *(*put)(char *to, const struct switch_row *row); /* NULL: labels */
	struct buffer labels;                                 /* with the commas between them */
};

/* Writes the rows of one trace. */
struct csv_writer {
	struct csv_layout layout;
	/* Renders prev_state in at most 31 bytes, like sched_state_text(). */
	void (*state_text)(const void *context, uint64_t prev_state, char *text, size_t size);
	const void *state_context;
	/* Private. */
	struct csv_step *steps;
	size_t step_count;
	size_t row_bytes_max; /* without words of a text trace */
	struct decimal_second second;
	struct csv_state states[CSV_STATES];
};

/* All members of writer except layout and state_text must be zero. */
void csv_writer_begin(struct csv_writer *writer, const struct trace_labels *labels);
void csv_writer_end(struct csv_writer *writer);
/* Adds a row; row->writer is set by this. */
void csv_add_row(struct csv_writer *writer, struct switch_row *row, struct buffer *out);

#endif
