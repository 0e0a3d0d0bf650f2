/* SPDX-License-Identifier: MIT
 *
 * The sched_switch events of one trace as rows of the dataset. */
#ifndef DATASET_ROWS_H
#define DATASET_ROWS_H

#include "base/buffer.h"
#include "base/error.h"
#include "base/file.h"
#include "dataset/csv.h"
#include "dataset/traces.h"

/* Where the rows of one trace go; its own fields are used by the readers below only. */
struct rows {
	struct trace *trace;
	const struct mapping *file;
	/* Takes whole rows, so many; called now and then, also with none. */
	enum status (*put)(void *context, const struct trace *trace, const struct buffer *rows, uint64_t count,
			   struct error *err);
	void *context;

	struct buffer labels, pending;
	uint64_t pending_count;
	uint32_t steps; /* events passed since the last look around */
	uint64_t last_ts_ns;
};

/* Reads the whole file, makes a row of each switch, and fills in what trace found: events,
 * malformed lines, losses. STATUS_CORRUPT or STATUS_UNSUPPORTED names file and place. */
enum status rows_from_text(struct rows *rows, struct error *err);
enum status rows_from_dat(struct rows *rows, struct error *err);

/* What both share. row's time_diff is set from its ts_ns. */
enum status rows_begin(struct rows *rows, struct error *err);
enum status rows_add(struct rows *rows, struct csv_row *row, struct error *err);
/* For each event, also one that is no row: now and then lets go of the file's memory and looks for a signal. */
enum status rows_step(struct rows *rows, struct error *err);
/* Ends with this status: writes what is pending where all went well, and frees what rows_begin made. */
enum status rows_end(struct rows *rows, enum status status, struct error *err);

#endif
