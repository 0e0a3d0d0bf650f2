/* SPDX-License-Identifier: MIT */
#include "data/switch_rows.h"

#include <string.h>

#include "data/extended_columns.h"

/* The time of the next row. */
static struct csv_time next_time(struct rows *rows, uint64_t ts_ns)
{
	struct csv_time time = {.ts_ns = ts_ns};

	if (rows->trace->rows > 0) {
		time.diff_is_negative = ts_ns < rows->last_ts_ns;
		time.diff_ns = time.diff_is_negative ? rows->last_ts_ns - ts_ns : ts_ns - rows->last_ts_ns;
	}
	rows->trace->backward_steps += time.diff_is_negative;
	rows->last_ts_ns = ts_ns;
	return time;
}

static enum status add_switch(struct rows *rows, struct dataset_row *row, struct error *err)
{
	row->time = next_time(rows, row->text ? row->text->ts_ns : row->event->ts_ns);
	return rows_add(rows, row, 0, err);
}

/* True if a text trace has sched_wakeup or sched_wakeup_new events. */
static bool has_wakeups(const struct mapping *file)
{
	static const char name[] = ": sched_wakeup";

	return memmem(file->bytes, file->length, name, sizeof(name) - 1);
}

static void state_text(const void *context, uint64_t prev_state, char *text, size_t size)
{
	sched_source_state_text(context, prev_state, text, size);
}

static enum status read_events(struct rows *rows, struct sched_source *source, struct error *err)
{
	const bool is_text = rows->input->kind == INPUT_TEXT;
	struct extended_columns extended = {.tasks = NULL};
	struct extended_values values;
	struct sched_event event;
	struct dataset_row row = {.event = &event, .extended = &values};
	enum status status;

	if (rows->columns->extended) {
		extended_columns_begin(&extended, source);
		extended.lacks_wakeups = is_text && !has_wakeups(&rows->input->file);
	} else {
		sched_source_switches_only(source);
	}
	while ((status = sched_source_next(source, &event, err)) == STATUS_OK) {
		if (rows->columns->extended)
			status = extended_columns_step(&extended, &event, &values, err);
		if (status == STATUS_OK && event.kind == SCHED_SWITCH) {
			row.text = is_text ? sched_source_text_switch(source) : NULL;
			status = add_switch(rows, &row, err);
		}
		if (status == STATUS_OK)
			status = input_step(rows->input, err);
		if (status != STATUS_OK)
			break;
	}
	if (rows->columns->extended)
		extended_columns_end(&extended);
	return status == STATUS_END ? STATUS_OK : status;
}

enum status switch_rows_read(struct rows *rows, struct error *err)
{
	struct sched_source *source;
	enum status status = input_source(rows->input, &source, err);

	if (status == STATUS_UNSUPPORTED && rows->input->kind == INPUT_TEXT)
		return error_remedy(err, "move it out of the directory of raw traces");
	if (status != STATUS_OK)
		return status;
	rows->writer.state_text = state_text;
	rows->writer.state_context = source;
	status = read_events(rows, source, err);
	if (status == STATUS_OK) {
		rows->trace->switches = rows->trace->rows;
		rows_take_findings(rows, source);
	}
	sched_source_close(source);
	return status;
}
