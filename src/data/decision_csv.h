/* SPDX-License-Identifier: MIT
 *
 * Rows of decisions as CSV. A list of candidates is one field with a value per candidate, separated by spaces; "-" is
 * an unknown value. Pure. */
#ifndef DATA_DECISION_CSV_H
#define DATA_DECISION_CSV_H

#include "base/buffer.h"
#include "data/column.h"
#include "data/decisions.h"
#include "data/role_table.h"

struct decision_row {
	const struct decision *decision;
	const struct sched_event *event; /* the switch */
	const struct task_states *states;
	const struct role_table *roles;
};

/* Exactly one of the functions is set. They add the value as a CSV field, without its comma. */
struct decision_column {
	struct column column;
	column_label *label;
	void (*add)(const struct decision_row *row, struct buffer *out);
	/* One value of a list. */
	void (*add_candidate)(const struct decision_row *row, const struct decision_candidate *it, struct buffer *out);
};
extern const struct decision_column decision_columns[];
extern const char *const decision_causes[WAIT_CAUSES];

size_t decision_column_count(bool has_weights);
/* Adds the line of column names. */
void decision_add_header(bool has_weights, struct buffer *out);

/* Writes the rows of one trace. A zeroed struct can be ended. */
struct decision_writer {
	size_t column_count;
	struct buffer *labels; /* by column: the field, if it is a label */
};
void decision_writer_begin(struct decision_writer *writer, bool has_weights, const struct trace_labels *labels);
void decision_add_row(const struct decision_writer *writer, const struct decision_row *row, struct buffer *out);
void decision_writer_end(struct decision_writer *writer);

#endif
