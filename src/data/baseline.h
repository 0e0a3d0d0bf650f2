/* SPDX-License-Identifier: MIT
 *
 * The four columns of the baseline models for the output of perf sched map: task_code, time, name, pid. task_code is
 * A to Z, a to z, 0 to 9 for the first 62 task names, in the order of first appearance, then AA, AB and so on. Pure;
 * memory grows with the number of names. */
#ifndef DATA_BASELINE_H
#define DATA_BASELINE_H

#include "data/csv_read.h"
#include "data/rows.h"
#include "trace/comm_table.h"

struct baseline {
	bool timestamps; /* time is the timestamp; otherwise the difference from the previous row */
	struct comm_table names;
};

void baseline_add_header(struct buffer *out);
/* Adds a row of a trace, or of a dataset's CSV. STATUS_CORRUPT if its task_name is longer than the kernel allows. */
enum status baseline_add_row(struct baseline *baseline, const struct dataset_row *row, struct buffer *out,
			     struct error *err);
enum status baseline_add_record(struct baseline *baseline, const struct csv_record *record, struct buffer *out,
				struct error *err);
void baseline_free(struct baseline *baseline);

#endif
