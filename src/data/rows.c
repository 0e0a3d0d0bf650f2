/* SPDX-License-Identifier: MIT */
#include "data/rows.h"

#include <stdlib.h>
#include <string.h>

#include "base/interrupt.h"
#include "base/memory.h"
#include "data/extended_columns.h"

#define FLUSH_BYTES (((size_t)256 << 10) - 4096)

static enum status flush(struct rows *rows, struct error *err)
{
	enum status status = rows->put(rows->context, rows->trace, &rows->pending, rows->pending_count, err);

	buffer_clear(&rows->pending);
	rows->pending_count = 0;
	return status == STATUS_OK ? interrupt_check(err) : status;
}

/* The time of the next row. */
static struct csv_time next_time(struct rows *rows, uint64_t ts_ns)
{
	struct csv_time time = {.ts_ns = ts_ns};

	if (rows->trace->events > 0) {
		time.diff_is_negative = ts_ns < rows->last_ts_ns;
		time.diff_ns = time.diff_is_negative ? rows->last_ts_ns - ts_ns : ts_ns - rows->last_ts_ns;
	}
	rows->trace->backward_steps += time.diff_is_negative;
	rows->trace->events++;
	rows->last_ts_ns = ts_ns;
	return time;
}

static enum status add_row(struct rows *rows, struct switch_row *row, struct error *err)
{
	row->time = next_time(rows, row->text ? row->text->ts_ns : row->event->ts_ns);
	if (rows->take)
		return rows->take(rows->context, row, err);
	csv_add_row(&rows->writer, row, &rows->pending);
	rows->pending_count++;
	return rows->pending.length < FLUSH_BYTES ? STATUS_OK : flush(rows, err);
}

/* True if a text trace has sched_wakeup or sched_wakeup_new events. */
static bool has_wakeups(const struct mapping *file)
{
	static const char name[] = ": sched_wakeup";

	return memmem(file->bytes, file->length, name, sizeof(name) - 1);
}

static enum status read_events(struct rows *rows, struct sched_source *source, struct error *err)
{
	const bool is_text = rows->input->kind == INPUT_TEXT;
	struct extended_columns extended = {.tasks = NULL};
	struct extended_values values;
	struct sched_event event;
	struct switch_row row = {.event = &event, .extended = &values};
	enum status status;

	if (rows->columns.extended) {
		extended_columns_begin(&extended, source);
		extended.lacks_wakeups = is_text && !has_wakeups(&rows->input->file);
	} else {
		sched_source_switches_only(source);
	}
	while ((status = sched_source_next(source, &event, err)) == STATUS_OK) {
		if (rows->columns.extended)
			status = extended_columns_step(&extended, &event, &values, err);
		if (status == STATUS_OK && event.kind == SCHED_SWITCH) {
			row.text = is_text ? sched_source_text_switch(source) : NULL;
			status = add_row(rows, &row, err);
		}
		if (status == STATUS_OK)
			status = input_step(rows->input, err);
		if (status != STATUS_OK)
			break;
	}
	if (rows->columns.extended)
		extended_columns_end(&extended);
	return status == STATUS_END ? STATUS_OK : status;
}

static void take_findings(struct dataset_trace *trace, const struct input *input, const struct sched_source *source)
{
	const struct ftrace_text *text = sched_source_text(source);
	const uint64_t overwritten = sched_source_overwritten(source);

	sched_source_losses(source, &trace->run.losses);
	if (overwritten)
		losses_add(&trace->run.losses, &(struct loss){.cpu = LOSS_CPU_UNKNOWN, .events = overwritten});
	if (text) {
		trace->malformed_lines = text->malformed_lines;
		trace->first_malformed_line = text->first_malformed_line;
	} else {
		trace->corrected_times = sched_source_backwards(source, &trace->max_corrected_ns);
		trace->run.losses.incomplete = input->trace.truncated;
		trace->skipped_buffers = input->trace.skipped_buffers;
		trace->followed_only = input->trace.followed_only;
	}
}

static void state_text(const void *context, uint64_t prev_state, char *text, size_t size)
{
	sched_source_state_text(context, prev_state, text, size);
}

static enum status read_source(struct rows *rows, struct sched_source *source, struct error *err)
{
	const struct dataset_trace *trace = rows->trace;
	const struct trace_labels labels = {
	    .trace_id = trace->run.id, .workload = trace->run.workload, .scheduler = trace->scheduler};

	rows->writer = (struct csv_writer){.layout = rows->columns, .state_text = state_text, .state_context = source};
	csv_writer_begin(&rows->writer, &labels);
	enum status status = read_events(rows, source, err);
	if (status == STATUS_OK && rows->pending.length)
		status = flush(rows, err);
	buffer_free(&rows->pending);
	csv_writer_end(&rows->writer);
	return status;
}

enum status rows_read(struct rows *rows, struct error *err)
{
	struct sched_source *source;
	enum status status = input_source(rows->input, &source, err);

	rows->trace->events = 0;
	if (status == STATUS_UNSUPPORTED && rows->input->kind == INPUT_TEXT)
		return error_remedy(err, "move it out of the directory of raw traces");
	if (status == STATUS_OK)
		status = read_source(rows, source, err);
	if (status == STATUS_OK)
		take_findings(rows->trace, rows->input, source);
	sched_source_close(source);
	return status;
}
