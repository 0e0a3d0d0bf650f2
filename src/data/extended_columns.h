/* SPDX-License-Identifier: MIT
 *
 * Computes the extended columns of each switch of one trace from its events in order. Memory grows only with the
 * number of tasks. */
#ifndef DATA_EXTENDED_COLUMNS_H
#define DATA_EXTENDED_COLUMNS_H

#include "data/column.h"
#include "trace/source.h"
#include "trace/task_states.h"

extern const struct column extended_column_rows[];
extern const size_t extended_column_count;

/* The values of one row. An unknown value is an empty field. */
struct extended_values {
	bool runtime_known, latency_known, waker_known, migrated_known, runnable_known;
	uint64_t prev_runtime_ns;   /* length of the slice that ended with this switch */
	uint64_t wakeup_latency_ns; /* of the task switched in: since its wakeup or fork */
	int32_t waker_pid;
	const struct sched_comm *waker; /* NULL: unknown */
	bool migrated;                  /* since its last run */
	uint32_t runnable;              /* tasks waiting for this CPU */
};

/* Per-task state in addition to task_states. */
struct extended_task {
	uint32_t last_cpu; /* CPU on which it ran last */
	uint32_t epoch;    /* epoch of losses in which last_cpu is valid, plus 1; 0: it has not run */
	bool migrated;     /* since its last run */
	uint32_t waker;    /* the task that woke it last, or TASK_NONE */
};

struct extended_columns {
	struct task_states states;
	struct extended_task *tasks; /* by task number */
	uint32_t capacity;
	bool lacks_wakeups; /* set by the caller after extended_columns_begin(): who waits is unknown */
};

/* source must outlive the struct. End with extended_columns_end(). */
void extended_columns_begin(struct extended_columns *extended, struct sched_source *source);
/* Processes the next event of the source. For a switch, values are filled in and valid until the next call. */
enum status extended_columns_step(struct extended_columns *extended, const struct sched_event *event,
				  struct extended_values *values, struct error *err);
void extended_columns_end(struct extended_columns *extended);

#endif
