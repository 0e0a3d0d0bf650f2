/* SPDX-License-Identifier: MIT */
#include "data/row_export.h"

#include <inttypes.h>
#include <stdio.h>

#include "data/baseline.h"
#include "data/trace_rows.h"

struct writing {
	const struct input *input;
	struct output_stream *sink;
	struct baseline baseline;
	uint64_t rows;
};

static enum status put_rows(void *context, const struct dataset_trace *trace, struct buffer *rows, uint64_t count,
			    struct error *err)
{
	struct writing *writing = context;

	(void)trace;
	writing->rows += count;
	buffer_add(&writing->sink->pending, rows->data, rows->length);
	return output_stream_write_if_full(writing->sink, err);
}

/* Called after a row was added to baseline with this status. */
static enum status end_baseline_row(struct writing *writing, enum status status, struct error *err)
{
	writing->rows++;
	if (status == STATUS_OK)
		return output_stream_write_if_full(writing->sink, err);
	if (err)
		snprintf(err->where, sizeof(err->where), "%.400s: row %" PRIu64, writing->input->name, writing->rows);
	return status;
}

static enum status add_baseline_row(void *context, const struct dataset_row *row, struct error *err)
{
	struct writing *writing = context;

	return end_baseline_row(writing, baseline_add_row(&writing->baseline, row, &writing->sink->pending, err), err);
}

static enum status add_baseline_record(void *context, const struct csv_record *record, struct error *err)
{
	struct writing *writing = context;

	return end_baseline_row(writing, baseline_add_record(&writing->baseline, record, &writing->sink->pending, err),
				err);
}

enum status row_export_write(const struct row_export *request, struct output_stream *sink, uint64_t *count,
			     struct error *err)
{
	struct writing writing = {.input = request->input, .sink = sink, .baseline.timestamps = request->timestamps};
	const struct trace_rows rows = {
	    .input = request->input,
	    .columns = &request->columns,
	    .trace_id = request->trace_id,
	    .record = add_baseline_record,
	    .put = request->is_baseline ? NULL : put_rows,
	    .take = request->is_baseline ? add_baseline_row : NULL,
	    .context = &writing,
	};

	if (request->is_baseline)
		baseline_add_header(&sink->pending);
	else
		trace_rows_header(&rows, &sink->pending);
	enum status status = trace_rows_read(&rows, err);
	*count = writing.rows;
	baseline_free(&writing.baseline);
	return status;
}
