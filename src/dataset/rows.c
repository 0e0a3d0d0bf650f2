/* SPDX-License-Identifier: MIT */
#include "dataset/rows.h"

#include <errno.h>

#include "base/interrupt.h"

#define FLUSH_BYTES (((size_t)256 << 10) - 4096)
#define STEPS_MOST  ((uint32_t)1 << 12) /* some 250 KiB of a .dat, 1 MiB of text */

static enum status out_of_memory(const struct rows *rows, struct error *err)
{
	return error_system(err, ENOMEM, rows->trace->path, "cannot make rows");
}

enum status rows_begin(struct rows *rows, struct error *err)
{
	rows->trace->events = 0;
	csv_add_labels(&rows->labels, rows->trace->workload_type, rows->trace->id, rows->extended);
	return rows->labels.failed ? out_of_memory(rows, err) : STATUS_OK;
}

static enum status flush(struct rows *rows, struct error *err)
{
	if (rows->pending.failed)
		return out_of_memory(rows, err);
	enum status status = rows->put(rows->context, rows->trace, &rows->pending, rows->pending_count, err);
	buffer_clear(&rows->pending);
	rows->pending_count = 0;
	return status == STATUS_OK ? interrupt_check(err) : status;
}

enum status rows_add(struct rows *rows, struct csv_row *row, struct error *err)
{
	row->time_diff_ns = 0;
	row->time_diff_negative = rows->trace->events > 0 && row->ts_ns < rows->last_ts_ns;
	if (row->time_diff_negative) {
		row->time_diff_ns = rows->last_ts_ns - row->ts_ns;
		rows->trace->backward_steps++;
	} else if (rows->trace->events > 0) {
		row->time_diff_ns = row->ts_ns - rows->last_ts_ns;
	}
	rows->last_ts_ns = row->ts_ns;
	csv_add_row(&rows->pending, row, &rows->labels);
	if (row->extension)
		csv_add_extension(&rows->pending, row->extension);
	rows->trace->events++;
	rows->pending_count++;
	if (rows->pending.length < FLUSH_BYTES && !rows->pending.failed)
		return STATUS_OK;
	return flush(rows, err);
}

enum status rows_step(struct rows *rows, struct error *err)
{
	if (++rows->steps < STEPS_MOST)
		return STATUS_OK;
	rows->steps = 0;
	file_map_forget(rows->file);
	return interrupt_check(err);
}

enum status rows_end(struct rows *rows, enum status status, struct error *err)
{
	if (status == STATUS_OK && rows->pending.length)
		status = flush(rows, err);
	buffer_free(&rows->pending);
	buffer_free(&rows->labels);
	return status;
}
