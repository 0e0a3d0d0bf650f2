/* SPDX-License-Identifier: MIT
 *
 * The extended columns of each switch of one trace, from its events in order. Memory grows with
 * the number of tasks only. */
#ifndef DATASET_EXTENDED_COLUMNS_H
#define DATASET_EXTENDED_COLUMNS_H

#include "dataset/csv.h"
#include "sched/source.h"
#include "sched/task_states.h"

/* The state of a task that task_states does not have. */
struct extended_task {
	uint32_t last_cpu; /* where it ran last */
	uint32_t epoch;    /* of losses in which that is known, and one more; 0: it has not run */
	bool migrated;     /* since then */
	uint32_t waker;    /* the task that woke it last, or TASK_NONE */
};

struct extended_columns {
	struct task_states states;
	struct extended_task *tasks; /* by the machine's numbers */
	uint32_t capacity;
};

/* source must outlive it. End with extended_columns_end(). */
void extended_columns_begin(struct extended_columns *extended, struct sched_source *source);
/* Takes the next event of the source; columns are filled in if it is a switch, and good until the next call. */
enum status extended_columns_step(struct extended_columns *extended, const struct sched_event *event,
				  struct csv_extended *columns, struct error *err);
void extended_columns_end(struct extended_columns *extended);

#endif
