/* SPDX-License-Identifier: MIT
 *
 * The four columns that models made for perf sched map's output are fed with: task_code, time, name, pid. task_code is
 * A to Z, a to z, 0 to 9 for the first 62 task names, in the order in which they appear, and AA, AB and so on for those
 * behind. Pure; memory grows with the number of names. */
#ifndef DATASET_BASELINE_H
#define DATASET_BASELINE_H

#include "dataset/csv_read.h"
#include "sched/comm_table.h"

struct baseline {
	bool timestamps; /* time is the timestamp, not the difference to the row before */
	struct comm_table names;
};

void baseline_add_header(struct buffer *out);
/* Adds the row of a dataset's. STATUS_CORRUPT where its task_name is longer than the kernel's can be. */
enum status baseline_add_row(struct baseline *baseline, const struct csv_record *record, struct buffer *out,
			     struct error *err);
void baseline_free(struct baseline *baseline);

#endif
