/* SPDX-License-Identifier: MIT
 *
 * Any bytes as a text trace. What is found lies within them, every row survives being written as CSV, and the same
 * events come in the order of time. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "data/switch_rows.h"
#include "trace/format/ftrace_text.h"
#include "trace/format/text_kind.h"
#include "trace/format/text_order.h"

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

static void check_order(const uint8_t *bytes, size_t size, const struct ftrace_text *text)
{
	struct text_order order;
	struct ftrace_text sum;
	const struct ftrace_text_event *event;
	uint64_t last_ns = 0, switches = 0;

	text_order_open(&order, (const char *)bytes, size);
	while ((event = text_order_next(&order))) {
		if (event->ts_ns < last_ns)
			abort();
		last_ns = event->ts_ns;
		switches += event->kind == FTRACE_TEXT_SWITCH;
		if (event->kind == FTRACE_TEXT_LOST)
			continue;
		check_within(event->name, bytes, size);
		check_within(event->fields, bytes, size);
		if (event->comm.length)
			check_within(event->comm, bytes, size);
	}
	text_order_sum(&order, &sum);
	/* Parts decide their form each, and a name with newlines may end at a part. */
	if (sum.switches != switches || (order.part_count == 1 && switches != text->switches))
		abort();
	text_order_free(&order);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	struct ftrace_text text;
	struct ftrace_text_switch event;
	const struct trace_labels labels = {{[LABEL_WORKLOAD] = "workload", [LABEL_TRACE_ID] = "trace"}};
	struct row_writer writer;
	const struct columns columns = switch_columns(NULL);
	struct buffer row = {0};
	uint64_t switches = 0;
	uint64_t lines = 1;

	for (size_t i = 0; i < size; i++)
		lines += bytes[i] == '\n';
	row_writer_begin(&writer, &columns, &labels);
	ftrace_text_open(&text, (const char *)bytes, size);
	while (ftrace_text_next(&text, &event)) {
		if (event.timestamp.length)
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
	const struct text_kind *kind = text_kind_find((const char *)bytes, size);
	if (kind && !kind->refusal != !kind->remedy)
		abort();
	check_order(bytes, size, &text);
	if (switches != text.switches || text.malformed_lines + switches > lines || text.line > lines)
		abort();
	if ((text.malformed_lines > 0) != (text.first_malformed_line > 0) || text.first_malformed_line > lines)
		abort();
	row_writer_free(&writer);
	buffer_free(&row);
	return 0;
}
