/* SPDX-License-Identifier: MIT */
#include "cmd/export_rows.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/message.h"
#include "dataset/baseline.h"

struct writing {
	const struct export_rows *given;
	const struct input *input;
	struct sink *sink;
	struct baseline baseline;
	uint64_t rows;
};

static enum status put(void *context, const struct csv_record *record, struct error *err)
{
	struct writing *writing = context;
	struct buffer *out = &writing->sink->pending;

	writing->rows++;
	if (!writing->given->baseline) {
		buffer_add(out, record->whole.bytes, record->whole.length);
	} else if (baseline_add_row(&writing->baseline, record, out, err) != STATUS_OK) {
		if (err)
			snprintf(err->where, sizeof(err->where), "%.400s: row %" PRIu64, writing->input->name,
				 writing->rows);
		return err ? err->status : STATUS_CORRUPT;
	}
	return sink_write_if_full(writing->sink, err);
}

enum status export_rows_write(const struct export_rows *given, struct input *input, struct sink *sink,
			      struct error *err)
{
	struct writing writing = {
	    .given = given, .input = input, .sink = sink, .baseline.timestamps = given->timestamps};
	const struct trace_rows rows = {
	    .input = input,
	    .extended = given->extended,
	    .trace_id = given->trace_id,
	    .put = put,
	    .context = &writing,
	};

	if (given->baseline)
		baseline_add_header(&sink->pending);
	else
		trace_rows_header(&rows, &sink->pending);
	enum status status = trace_rows_read(&rows, err);
	if (status == STATUS_OK)
		message_detail("%s: %" PRIu64 " rows", input->name, writing.rows);
	baseline_free(&writing.baseline);
	return status;
}
