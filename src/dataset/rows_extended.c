/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "dataset/extension.h"
#include "dataset/rows.h"

struct reading {
	struct rows *rows;
	struct sched_source *source;
	struct ftrace_text *text;
	struct extension extension;
	char state[32];
};

static struct csv_text comm_text(const struct sched_comm *comm)
{
	return (struct csv_text){comm->bytes, comm->length};
}

static struct csv_row row_of(struct reading *reading, const struct sched_event *event)
{
	sched_source_state_text(reading->source, event->switched.prev_state, reading->state, sizeof(reading->state));
	return (struct csv_row){
	    .ts_ns = event->ts_ns,
	    .task_name = comm_text(&event->switched.next.comm),
	    .prev_state = {reading->state, strlen(reading->state)},
	    .prev_comm = comm_text(&event->switched.prev.comm),
	    .pid = event->switched.next.pid,
	    .cpu = event->cpu,
	};
}

static enum status take_event(struct reading *reading, const struct sched_event *event, struct error *err)
{
	struct csv_extension columns;
	struct ftrace_text_switch from;
	struct csv_row row;
	enum status status = extension_step(&reading->extension, event, &columns, err);

	if (status != STATUS_OK || event->kind != SCHED_SWITCH)
		return status;
	/* A text trace is read twice, side by side: its rows say what the text says, with the text's own times. */
	if (!reading->text)
		row = row_of(reading, event);
	else if (ftrace_text_next(reading->text, &from))
		row = rows_of_text(&from);
	else
		return STATUS_OK;
	row.extension = &columns;
	return rows_add(reading->rows, &row, err);
}

enum status rows_add_extended(struct rows *rows, struct sched_source *source, struct ftrace_text *text,
			      struct error *err)
{
	struct reading reading = {.rows = rows, .source = source, .text = text};
	struct sched_event event;
	enum status status = STATUS_OK;

	extension_begin(&reading.extension, source);
	while (status == STATUS_OK) {
		status = sched_source_next(source, &event, err);
		if (status == STATUS_OK)
			status = take_event(&reading, &event, err);
		if (status == STATUS_OK)
			status = rows_step(rows, err);
	}
	extension_end(&reading.extension);
	if (status != STATUS_END)
		return status;
	/* To the end, for what its last lines tell. */
	struct ftrace_text_switch behind;
	while (text && ftrace_text_next(text, &behind))
		;
	return STATUS_OK;
}
