/* SPDX-License-Identifier: MIT
 *
 * Reads one trace, a trace.dat or a text trace, as rows of the dataset: one row per sched_switch. */
#ifndef DATA_ROWS_H
#define DATA_ROWS_H

#include "base/buffer.h"
#include "base/error.h"
#include "data/csv.h"
#include "data/traces.h"
#include "trace/input.h"

/* The source of the rows and their consumer: exactly one of put and take. */
struct rows {
	struct dataset_trace *trace;
	struct input *input;       /* the open trace: INPUT_DAT or INPUT_TEXT */
	struct csv_layout columns; /* put only */
	/* Takes count whole rows as CSV; called periodically. It may leave another buffer. */
	enum status (*put)(void *context, const struct dataset_trace *trace, struct buffer *rows, uint64_t count,
			   struct error *err);
	/* Takes each row as values. */
	enum status (*take)(void *context, const struct switch_row *row, struct error *err);
	void *context;

	/* Private. */
	struct csv_writer writer;
	struct buffer pending;
	uint64_t pending_count;
	uint64_t last_ts_ns;
};

/* Reads the whole file once and adds the findings to trace: events, malformed lines, losses. Needs
 * interrupt_catch(). STATUS_CORRUPT or STATUS_UNSUPPORTED names the file and the place. */
enum status rows_read(struct rows *rows, struct error *err);

#endif
