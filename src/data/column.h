/* SPDX-License-Identifier: MIT
 *
 * A column of a dataset is a row of a table: its name, unit, meaning and type, and the function that writes its value.
 * The CSV, its header, dataset_meta.json, the help topic "columns" and the Parquet recipe are made from these
 * rows. The tables are in switch_rows.c, decision_rows.c, placement_rows.c and key_rows.c.
 *
 * Rows have the format of Python's csv module (base/csv_field.h): commas, CR LF at the end of a row. Names are copied
 * as bytes, even if they are not valid UTF-8. A list is one field with a value per item, separated by spaces; "-" is
 * an unknown value. Pure. */
#ifndef DATA_COLUMN_H
#define DATA_COLUMN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "trace/event.h"
#include "trace/format/ftrace_text.h"

struct decision;
struct placement;
struct key_row;
struct extended_values;
struct leave_reason_table;
struct role_table;
struct task_states;

/* The time of a switch. */
struct csv_time {
	uint64_t ts_ns;
	uint64_t diff_ns;      /* since the previous row */
	bool diff_is_negative; /* times of a text trace may decrease */
};

/* The inputs of the columns of a row. */
struct dataset_row {
	const struct sched_event *event;
	/* For a switch: */
	const struct ftrace_text_switch *text; /* of a text trace: the fields as the trace writes them; else NULL */
	struct csv_time time;
	const struct leave_reason_table *reasons; /* of a trace.dat: renders prev_state in at most 31 bytes */
	const struct extended_values *extended;   /* if there are extended columns */
	/* For the other kinds of rows, one of these: */
	const struct decision *decision;
	const struct placement *placement;
	const struct key_row *key;
	const struct task_states *states;
	const struct role_table *roles;
};

enum column_type {
	COLUMN_TEXT,
	COLUMN_INTEGER,
	COLUMN_REAL,
	COLUMN_SECONDS,  /* with nine decimals: more digits than a double has */
	COLUMN_TEXTS,    /* a list */
	COLUMN_INTEGERS, /* a list */
};
/* "text", "integer", "real", "seconds", "texts", "integers": column_types of dataset_meta.json. */
extern const char *const column_type_names[];

/* Columns that have one value in all rows of a trace. */
enum trace_label {
	LABEL_NONE,
	LABEL_TRACE_ID,
	LABEL_WORKLOAD,
	LABEL_CATEGORY,
	LABEL_KERNEL,
	LABEL_SCHEDULER,
	LABEL_BASE_SLICE,
	LABEL_SET,
	LABEL_WEIGHT,
	TRACE_LABELS
};
struct trace_labels {
	const char *texts[TRACE_LABELS]; /* "" is unknown */
};

/* Exactly one of label and the functions is set. */
struct column {
	const char *name;
	const char *unit;    /* "" for none */
	const char *meaning; /* one line */
	enum column_type type;
	/* Writes the value as a CSV field without its comma, and returns its end; at most COLUMN_BYTES_MAX bytes, or
	 * CSV_FIELD_MAX() of one of the words of row->text. */
	char *(*put)(char *to, const struct dataset_row *row);
	/* The same for one value of a list. */
	char *(*put_item)(char *to, const struct dataset_row *row, uint32_t item);
	enum trace_label label;
};
#define COLUMN_BYTES_MAX 70u

/* Helpers for these functions: a text that needs no quotes; a number, or an empty field if unknown. */
char *column_put_text(char *to, const char *text);
char *column_put_known(char *to, bool known, uint64_t value, const char *unknown);

/* The columns of a dataset, in order. */
#define COLUMNS_MAX 48
struct columns {
	const struct column *items[COLUMNS_MAX];
	size_t count;
	bool extended; /* includes the extended columns */
};
void columns_add(struct columns *columns, const struct column *table, size_t count);
/* Adds the line of column names. */
void columns_add_header(const struct columns *columns, struct buffer *out);
/* NULL if there is no column of this name. */
const struct column *columns_find(const struct columns *columns, const char *name);

/* The labels of the trace: the first columns of all kinds of rows with roles. */
#define LABEL_COLUMNS 7
extern const struct column label_columns[LABEL_COLUMNS];

/* The column weight, the last one with --weights. */
extern const struct column weight_column;

/* Writes the rows of one trace. */
struct row_writer {
	const struct columns *columns;
	/* Private. */
	struct buffer labels; /* CSV fields, one after the other */
	struct {
		size_t at, length;
	} label_places[TRACE_LABELS]; /* in labels */
	size_t list_count;
	size_t row_bytes_max; /* without lists and without the fields of a text trace */
};

/* Sets all members; columns are used until the last row. Needs row_writer_free(). */
void row_writer_begin(struct row_writer *writer, const struct columns *columns, const struct trace_labels *labels);
void row_writer_free(struct row_writer *writer);
/* Adds a row whose lists have this many items. */
void row_writer_add(struct row_writer *writer, const struct dataset_row *row, uint32_t items, struct buffer *out);

#endif
