/* SPDX-License-Identifier: MIT
 *
 * A column of a dataset is a row of a table: its name, unit, meaning and type, and the function that writes its value.
 * The CSV, its header, dataset_meta.json, the card, the help topic "columns" and the Parquet recipe are made from these
 * rows. switch_columns are in csv.c and extended_columns.c, decision_columns in decision_csv.c. */
#ifndef DATA_COLUMN_H
#define DATA_COLUMN_H

#include "trace/event.h"
#include "trace/format/ftrace_text.h"

enum column_type {
	COLUMN_TEXT,
	COLUMN_INTEGER,
	COLUMN_REAL,
	COLUMN_SECONDS,  /* with nine decimals: more digits than a double has */
	COLUMN_TEXTS,    /* a list, separated by spaces; "-" is an unknown value */
	COLUMN_INTEGERS, /* likewise */
};
/* "text", "integer", "real", "seconds", "texts", "integers": column_types of dataset_meta.json. */
extern const char *const column_type_names[];

struct column {
	const char *name;
	const char *unit;    /* "" for none */
	const char *meaning; /* one line */
	enum column_type type;
};

/* What is the same in all rows of a trace. "" is unknown. */
struct trace_labels {
	const char *trace_id, *workload, *category, *kernel, *scheduler, *base_slice_ns, *weight;
};
/* The value of a column that is such a label. */
typedef const char *column_label(const struct trace_labels *labels);

/* The time of a row. */
struct csv_time {
	uint64_t ts_ns;
	uint64_t diff_ns;      /* since the previous row */
	bool diff_is_negative; /* times of a text trace may decrease */
};

struct csv_writer;
struct extended_values;

/* A switch. */
struct switch_row {
	const struct sched_event *event;
	const struct ftrace_text_switch *text; /* of a text trace: its own words; else NULL */
	struct csv_time time;
	const struct extended_values *extended; /* if the layout has the extended columns */
	struct csv_writer *writer;
};

struct switch_column {
	struct column column;
	/* Writes the value as a CSV field without its comma, and returns its end; at most COLUMN_BYTES_MAX bytes, or
	 * CSV_FIELD_MAX() of one of the words of row->text. NULL: it is a label. */
	char *(*put)(char *to, const struct switch_row *row);
	column_label *label;
};
#define COLUMN_BYTES_MAX 70u

#endif
