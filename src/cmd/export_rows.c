/* SPDX-License-Identifier: MIT */
#include "cmd/export_rows.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/escape.h"
#include "base/message.h"
#include "dataset/baseline.h"

struct writing {
	const struct export_rows *given;
	const struct input *input;
	struct sink *sink;
	struct baseline baseline;
	struct buffer row; /* where it is to be escaped */
	uint64_t rows;
};

/* A terminal has lines of its own, and obeys what it is sent. */
static void add_escaped(struct writing *writing)
{
	size_t room = 4 * writing->row.length + 2;
	size_t length = writing->row.length;
	char *to = writing->row.failed ? NULL : buffer_reserve(&writing->sink->pending, room);

	while (length && (writing->row.data[length - 1] == '\n' || writing->row.data[length - 1] == '\r'))
		length--;
	if (to)
		writing->sink->pending.length += escape_terminal(writing->row.data, length, to, room);
	else
		writing->sink->pending.failed = true;
	buffer_text(&writing->sink->pending, "\n");
	buffer_clear(&writing->row);
}

static enum status put(void *context, const struct csv_record *record, struct error *err)
{
	struct writing *writing = context;
	struct buffer *out = writing->given->escape ? &writing->row : &writing->sink->pending;

	writing->rows++;
	if (!writing->given->baseline) {
		buffer_add(out, record->whole.bytes, record->whole.length);
	} else if (baseline_add_row(&writing->baseline, record, out, err) != STATUS_OK) {
		if (err)
			snprintf(err->where, sizeof(err->where), "%.400s: row %" PRIu64, writing->input->name,
				 writing->rows);
		return err ? err->status : STATUS_CORRUPT;
	}
	if (writing->given->escape)
		add_escaped(writing);
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
		baseline_add_header(&writing.row);
	else
		trace_rows_header(&rows, &writing.row);
	if (given->escape)
		add_escaped(&writing);
	else
		buffer_add(&sink->pending, writing.row.data, writing.row.length);
	sink->pending.failed |= writing.row.failed;
	enum status status = trace_rows_read(&rows, err);
	if (status == STATUS_OK)
		message_detail("%s: %" PRIu64 " rows", input->name, writing.rows);
	baseline_free(&writing.baseline);
	buffer_free(&writing.row);
	return status;
}
