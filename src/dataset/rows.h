/* SPDX-License-Identifier: MIT
 *
 * The sched_switch events of one trace as rows of the dataset. */
#ifndef DATASET_ROWS_H
#define DATASET_ROWS_H

#include "base/buffer.h"
#include "base/error.h"
#include "base/file.h"
#include "dataset/csv.h"
#include "dataset/csv_extended.h"
#include "dataset/traces.h"
#include "format/ftrace_text.h"
#include "sched/source.h"

/* Where the rows of one trace go; its own fields are used by the readers below only. */
struct rows {
	struct trace *trace;
	const struct mapping *file;
	/* Takes whole rows, so many; called now and then, also with none. */
	enum status (*put)(void *context, const struct trace *trace, const struct buffer *rows, uint64_t count,
			   struct error *err);
	void *context;

	bool extended; /* with the columns of csv_extended.h */

	struct buffer labels, pending;
	uint64_t pending_count;
	uint32_t steps; /* events passed since the last look around */
	uint64_t last_ts_ns;
};

/* Reads the whole file, makes a row of each switch, and fills in what trace found: events,
 * malformed lines, losses. STATUS_CORRUPT or STATUS_UNSUPPORTED names file and place. */
enum status rows_from_text(struct rows *rows, struct error *err);
enum status rows_from_dat(struct rows *rows, struct error *err);

/* What they share. row's time_diff is set from its ts_ns. */
enum status rows_begin(struct rows *rows, struct error *err);
enum status rows_add(struct rows *rows, struct csv_row *row, struct error *err);
/* The switches of an extended dataset. text is at the trace's beginning, NULL for a .dat. */
enum status rows_add_extended(struct rows *rows, struct sched_source *source, struct ftrace_text *text,
			      struct error *err);
/* The row of a switch of a text trace. */
struct csv_row rows_of_text(const struct ftrace_text_switch *event);
/* For each event, also one that is no row: now and then lets go of the file's memory and looks for a signal. */
enum status rows_step(struct rows *rows, struct error *err);
/* Ends with this status: writes what is pending where all went well, and frees what rows_begin made. */
enum status rows_end(struct rows *rows, enum status status, struct error *err);

#endif
