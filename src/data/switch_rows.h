/* SPDX-License-Identifier: MIT
 *
 * Rows of switches: their columns. */
#ifndef DATA_SWITCH_ROWS_H
#define DATA_SWITCH_ROWS_H

#include "data/column.h"

#define CSV_COLUMNS 9 /* columns of every dataset of switches, the same as those of collect_traces.py */

/* The values of --columns: which columns follow these nine. */
#define CSV_LAYOUTS "standard|extended|scheduler|extended,scheduler"
/* text: one of CSV_LAYOUTS; NULL is "standard". */
struct columns switch_columns(const char *text);

/* The values of the extended columns of a row. */
struct extended_values {
	bool runtime_known, latency_known, waker_known, migrated_known, runnable_known;
	uint64_t prev_runtime_ns;   /* length of the slice that ended with this switch */
	uint64_t wakeup_latency_ns; /* for the task switched in: time since its wakeup or fork */
	int32_t waker_pid;
	const struct sched_comm *waker; /* NULL: unknown */
	bool migrated;                  /* since its last run */
	uint32_t runnable;              /* tasks waiting for this CPU */
};

#endif
