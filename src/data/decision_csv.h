/* SPDX-License-Identifier: MIT
 *
 * Rows of decisions as CSV. A list of candidates is one field with a value per candidate, separated by spaces; "-" is
 * an unknown value. Pure. */
#ifndef DATA_DECISION_CSV_H
#define DATA_DECISION_CSV_H

#include "data/csv.h"
#include "data/decisions.h"
#include "data/role_table.h"

enum decision_column {
	DECISION_TRACE_ID,
	DECISION_WORKLOAD,
	DECISION_CATEGORY,
	DECISION_KERNEL,
	DECISION_SCHEDULER,
	DECISION_BASE_SLICE,
	DECISION_TIME,
	DECISION_CPU,
	DECISION_OTHERS_RUNNING,
	DECISION_OTHERS_IDLE,
	DECISION_OTHERS_WAITING,
	DECISION_PREV_NAME,
	DECISION_PREV_ROLE,
	DECISION_PREV_PRIO,
	DECISION_PREV_STATE,
	DECISION_PREV_RAN,
	DECISION_CANDIDATES,
	DECISION_CANDIDATE_ROLES,
	DECISION_CANDIDATE_CAUSES,
	DECISION_CANDIDATE_WAITING,
	DECISION_CANDIDATE_SLICES,
	DECISION_CANDIDATE_RUNTIMES,
	DECISION_CANDIDATE_SHARES,
	DECISION_CANDIDATE_PRIOS,
	DECISION_CANDIDATE_LAST_CPUS,
	DECISION_CHOSEN,
	DECISION_NEXT_NAME,
	DECISION_NEXT_ROLE,
	DECISION_COLUMNS,                   /* of every dataset of decisions */
	DECISION_WEIGHT = DECISION_COLUMNS, /* only on demand */
	DECISION_ALL_COLUMNS
};
extern const struct csv_column decision_columns[DECISION_ALL_COLUMNS];
extern const char *const decision_causes[WAIT_CAUSES];

static inline size_t decision_column_count(bool has_weights)
{
	return has_weights ? DECISION_ALL_COLUMNS : DECISION_COLUMNS;
}
/* Adds the line of column names. */
void decision_add_header(bool has_weights, struct buffer *out);

/* The columns of a trace. */
struct decision_labels {
	const char *trace_id, *workload, *category;
	const char *kernel, *scheduler, *base_slice_ns; /* "" is unknown */
};
/* Adds their fields, each followed by a comma: the beginning of each row of the trace. */
void decision_add_labels(const struct decision_labels *labels, struct buffer *out);
#define DECISION_END_SIZE 32
/* The end of each row of a trace: its weight, unless that is 0, and the line end. */
void decision_row_end(double weight, char end[DECISION_END_SIZE]);
/* Adds the rest of the row. event: the switch. */
void decision_add_row(const struct decision *decision, const struct sched_event *event,
		      const struct task_states *states, const struct role_table *roles, const char *end,
		      struct buffer *out);

#endif
