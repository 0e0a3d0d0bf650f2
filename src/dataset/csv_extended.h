/* SPDX-License-Identifier: MIT
 *
 * The columns behind the nine of every dataset (csv.h) in an extended one. What is not known is an empty field. Pure.
 */
#ifndef DATASET_CSV_EXTENDED_H
#define DATASET_CSV_EXTENDED_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buffer.h"
#include "sched/stream.h"

#define CSV_EXTENDED_COLUMNS 9
extern const char *const csv_extended_columns[CSV_EXTENDED_COLUMNS];

struct csv_extension {
	int32_t next_prio, prev_pid, prev_prio;
	bool runtime_known, latency_known, waker_known, migrated_known;
	uint64_t prev_runtime_ns;   /* of the slice that ended with this switch */
	uint64_t wakeup_latency_ns; /* of the task switched in, since it was woken or forked */
	int32_t waker_pid;
	const struct sched_comm *waker; /* NULL: unknown */
	bool migrated;                  /* since it ran last */
	uint32_t runnable;              /* tasks that wait for this CPU now */
};

/* Adds their fields and the line end to a row that csv_add_row() made. */
void csv_add_extension(struct buffer *out, const struct csv_extension *extension);

#endif
