/* SPDX-License-Identifier: MIT */
#include "data/csv.h"

#include <stdlib.h>
#include <string.h>

#include "base/copy.h"
#include "base/csv_field.h"
#include "base/memory.h"
#include "data/extended_columns.h"

const char *const column_type_names[] = {
    [COLUMN_TEXT] = "text",       [COLUMN_INTEGER] = "integer", [COLUMN_REAL] = "real",
    [COLUMN_SECONDS] = "seconds", [COLUMN_TEXTS] = "texts",     [COLUMN_INTEGERS] = "integers",
};

/* --- Values --- */

static char *put_timestamp(char *to, const struct switch_row *row)
{
	if (row->text)
		return copy_short(to, row->text->timestamp.bytes, row->text->timestamp.length);
	return decimal_put_time(to, row->time.ts_ns, &row->writer->second);
}

static char *put_time_diff(char *to, const struct switch_row *row)
{
	if (row->time.diff_is_negative)
		*to++ = '-';
	return decimal_put_seconds(to, row->time.diff_ns);
}

/* The name of a task: of a text trace as it is there. */
static char *put_name(char *to, const struct sched_comm *comm, const struct ftrace_span *word)
{
	return word ? csv_field_put(to, word->bytes, word->length) : csv_field_put_name(to, comm->bytes, comm->length);
}

static char *put_task_name(char *to, const struct switch_row *row)
{
	return put_name(to, &row->event->switched.next.comm, row->text ? &row->text->next_comm : NULL);
}

static char *put_pid(char *to, const struct switch_row *row)
{
	return decimal_put_signed(to, row->text ? row->text->next_pid : row->event->switched.next.pid);
}

static char *put_cpu(char *to, const struct switch_row *row)
{
	return decimal_put(to, row->event->cpu);
}

static __attribute__((noinline, cold)) void render_state(const struct csv_writer *writer, uint64_t prev_state,
							 struct csv_state *state)
{
	char text[32];

	writer->state_text(writer->state_context, prev_state, text, sizeof(text));
	state->state = prev_state;
	state->length = 1 + (uint32_t)(csv_field_put(state->field, text, strlen(text)) - state->field);
}

static char *put_prev_state(char *to, const struct switch_row *row)
{
	const uint64_t prev_state = row->event->switched.prev_state;
	struct csv_state *state = &row->writer->states[prev_state % CSV_STATES];

	if (row->text)
		return csv_field_put(to, row->text->prev_state.bytes, row->text->prev_state.length);
	if (!state->length || state->state != prev_state)
		render_state(row->writer, prev_state, state);
	/* A fixed length compiles to a few moves. */
	memcpy(to, state->field, sizeof(state->field));
	return to + state->length - 1;
}

static char *put_prev_comm(char *to, const struct switch_row *row)
{
	return put_name(to, &row->event->switched.prev.comm, row->text ? &row->text->prev_comm : NULL);
}

static const char *label_workload(const struct trace_labels *labels)
{
	return labels->workload;
}

static const char *label_trace_id(const struct trace_labels *labels)
{
	return labels->trace_id;
}

static const char *label_scheduler(const struct trace_labels *labels)
{
	return labels->scheduler;
}

/* --- Columns --- */

#define STANDARD_VALUES 7 /* the first standard columns; the others are labels */

static const struct switch_column standard_columns[CSV_COLUMNS] = {
    {{"timestamp", "s, 9 decimals",
      "the kernel's trace clock, exact to the nanosecond; rows of text traces keep the 6 decimals of the text",
      COLUMN_SECONDS},
     .put = put_timestamp},
    {{"time_diff", "s, 9 decimals", "time since the previous switch of this trace, on any CPU; 0 for the first",
      COLUMN_SECONDS},
     .put = put_time_diff},
    {{"task_name", "", "the task switched in: the target of a next-task predictor", COLUMN_TEXT}, .put = put_task_name},
    {{"pid", "", "its process id; 0 is idle", COLUMN_INTEGER}, .put = put_pid},
    {{"cpu", "", "CPU of the switch, from 0", COLUMN_INTEGER}, .put = put_cpu},
    {{"prev_state", "",
      "why the previous task left the CPU, as in the kernel's text: S sleeps, D sleeps uninterruptibly (block I/O), R "
      "still runnable (preempted on return to user space, or it yielded; always for the idle task), R+ preempted "
      "inside the kernel, T stopped, t traced, X dead, Z zombie, I idle kernel thread",
      COLUMN_TEXT},
     .put = put_prev_state},
    {{"prev_comm", "", "the task switched out", COLUMN_TEXT}, .put = put_prev_comm},
    {{"workload_type", "",
      "the workload of this run; the whole machine is recorded, so rows of other tasks (kernel threads, the tracer on "
      "its own CPU, all other tasks of a host) have it too",
      COLUMN_TEXT},
     .label = label_workload},
    {{"trace_id", "", "the run; do not train across its boundary", COLUMN_TEXT}, .label = label_trace_id},
};

static const struct switch_column scheduler_column = {
    {"scheduler", "",
     "EEVDF (since 6.6) or CFS, by the kernel's release; with a scheduler of sched_ext the kernel's name of it; empty "
     "if the trace has no NAME.json",
     COLUMN_TEXT},
    .label = label_scheduler};

struct csv_layout csv_layout_of(const char *text)
{
	return (struct csv_layout){
	    .scheduler = text && strstr(text, "scheduler"),
	    .extended = text && strncmp(text, "extended", strlen("extended")) == 0,
	};
}

const struct switch_column *csv_column_at(struct csv_layout layout, size_t index)
{
	if (index < CSV_COLUMNS)
		return &standard_columns[index];
	index -= CSV_COLUMNS;
	if (layout.scheduler && index-- == 0)
		return &scheduler_column;
	return layout.extended && index < extended_column_count ? &extended_column_rows[index] : NULL;
}

size_t csv_column_count(struct csv_layout layout)
{
	return CSV_COLUMNS + layout.scheduler + (layout.extended ? extended_column_count : 0);
}

void csv_add_header(struct buffer *out, struct csv_layout layout)
{
	for (size_t i = 0; i < csv_column_count(layout); i++) {
		buffer_text(out, i ? "," : "");
		buffer_text(out, csv_column_at(layout, i)->column.name);
	}
	buffer_text(out, "\r\n");
}

/* --- Rows --- */

static void add_label(struct csv_writer *writer, const char *label)
{
	const bool follows = writer->step_count > 0 && !writer->steps[writer->step_count - 1].put;
	struct csv_step *step = &writer->steps[follows ? writer->step_count - 1 : writer->step_count++];

	buffer_text(&step->labels, follows ? "," : "");
	csv_field_add(&step->labels, label, strlen(label));
	writer->row_bytes_max += CSV_FIELD_MAX(strlen(label));
}

void csv_writer_begin(struct csv_writer *writer, const struct trace_labels *labels)
{
	const size_t count = csv_column_count(writer->layout);

	writer->steps = xcalloc(count, sizeof(*writer->steps));
	writer->row_bytes_max = count * (COLUMN_BYTES_MAX + 1) + 2;
	for (size_t i = STANDARD_VALUES; i < count; i++) {
		const struct switch_column *column = csv_column_at(writer->layout, i);
		if (column->put)
			writer->steps[writer->step_count++].put = column->put;
		else
			add_label(writer, column->label(labels));
	}
}

void csv_writer_end(struct csv_writer *writer)
{
	for (size_t i = 0; i < writer->step_count; i++)
		buffer_free(&writer->steps[i].labels);
	free(writer->steps);
	writer->steps = NULL;
	writer->step_count = 0;
}

static size_t words_length(const struct ftrace_text_switch *text)
{
	return text->timestamp.length + CSV_FIELD_MAX(text->next_comm.length) + CSV_FIELD_MAX(text->prev_state.length) +
	       CSV_FIELD_MAX(text->prev_comm.length);
}

void csv_add_row(struct csv_writer *writer, struct switch_row *row, struct buffer *out)
{
	char *to = buffer_reserve(out, writer->row_bytes_max + (row->text ? words_length(row->text) : 0));

	row->writer = writer;
	/* Unrolled, the functions of a constant table are called directly: a fifth faster. */
#pragma GCC unroll 9
	for (size_t i = 0; i < STANDARD_VALUES; i++) {
		to = standard_columns[i].put(to, row);
		*to++ = ',';
	}
	for (size_t i = 0; i < writer->step_count; i++) {
		const struct csv_step *step = &writer->steps[i];
		to = step->put ? step->put(to, row) : copy_short(to, step->labels.data, step->labels.length);
		*to++ = ',';
	}
	to[-1] = '\r';
	*to++ = '\n';
	*to = '\0';
	out->length = (size_t)(to - out->data);
}
