/* SPDX-License-Identifier: MIT
 *
 * Any bytes as a text trace. What is found lies within them, and every row survives being written as CSV. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "data/switch_rows.h"
#include "trace/format/ftrace_text.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static void check_within(struct ftrace_span span, const uint8_t *bytes, size_t size)
{
	const uint8_t *start = (const uint8_t *)span.bytes;

	if (start < bytes || start > bytes + size || span.length > size - (size_t)(start - bytes))
		abort();
}

/* The last field of a row begins behind its last comma outside quotes: quotes are even, or the row is broken. */
static void check_row(const struct buffer *row)
{
	size_t quotes = 0;
	size_t commas = 0;

	for (size_t i = 0; i < row->length; i++) {
		quotes += row->data[i] == '"';
		commas += row->data[i] == ',' && quotes % 2 == 0;
	}
	if (quotes % 2 != 0 || commas != CSV_COLUMNS - 1)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	struct ftrace_text text;
	struct ftrace_text_switch event;
	static struct row_writer writer;
	const struct columns columns = switch_columns(NULL);
	struct buffer row = {0};
	uint64_t switches = 0;
	uint64_t lines = 1;

	for (size_t i = 0; i < size; i++)
		lines += bytes[i] == '\n';
	writer = (struct row_writer){.columns = &columns};
	row_writer_begin(&writer, &(struct trace_labels){{[LABEL_WORKLOAD] = "workload", [LABEL_TRACE_ID] = "trace"}});
	ftrace_text_open(&text, (const char *)bytes, size);
	while (ftrace_text_next(&text, &event)) {
		check_within(event.timestamp, bytes, size);
		check_within(event.next_comm, bytes, size);
		check_within(event.prev_state, bytes, size);
		check_within(event.prev_comm, bytes, size);
		switches++;
		buffer_clear(&row);
		const struct sched_event typed = {.kind = SCHED_SWITCH, .cpu = event.cpu};
		row_writer_add(&writer, &(struct dataset_row){.event = &typed, .text = &event}, 0, &row);
		check_row(&row);
	}
	if (switches != text.switches || text.malformed_lines + switches > lines || text.line > lines)
		abort();
	if ((text.malformed_lines > 0) != (text.first_malformed_line > 0) || text.first_malformed_line > lines)
		abort();
	buffer_free(&row);
	row_writer_end(&writer);
	return 0;
}
