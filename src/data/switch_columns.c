/* SPDX-License-Identifier: MIT */
#include "data/switch_columns.h"

#include <string.h>

#include "base/copy.h"
#include "base/csv_field.h"
#include "data/extended_columns.h"

/* --- Values --- */

static char *put_timestamp(char *to, const struct dataset_row *row)
{
	if (row->text)
		return copy_short(to, row->text->timestamp.bytes, row->text->timestamp.length);
	return decimal_put_time(to, row->time.ts_ns, &row->writer->second);
}

static char *put_time_diff(char *to, const struct dataset_row *row)
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

static char *put_task_name(char *to, const struct dataset_row *row)
{
	return put_name(to, &row->event->switched.next.comm, row->text ? &row->text->next_comm : NULL);
}

static char *put_pid(char *to, const struct dataset_row *row)
{
	return decimal_put_signed(to, row->text ? row->text->next_pid : row->event->switched.next.pid);
}

static char *put_cpu(char *to, const struct dataset_row *row)
{
	return decimal_put(to, row->event->cpu);
}

static __attribute__((noinline, cold)) void render_state(const struct row_writer *writer, uint64_t prev_state,
							 struct row_state *state)
{
	char text[32];

	writer->state_text(writer->state_context, prev_state, text, sizeof(text));
	state->state = prev_state;
	state->length = 1 + (uint32_t)(csv_field_put(state->field, text, strlen(text)) - state->field);
}

static char *put_prev_state(char *to, const struct dataset_row *row)
{
	const uint64_t prev_state = row->event->switched.prev_state;
	struct row_state *state = &row->writer->states[prev_state % ROW_STATES];

	if (row->text)
		return csv_field_put(to, row->text->prev_state.bytes, row->text->prev_state.length);
	if (!state->length || state->state != prev_state)
		render_state(row->writer, prev_state, state);
	/* A fixed length compiles to a few moves. */
	memcpy(to, state->field, sizeof(state->field));
	return to + state->length - 1;
}

static char *put_prev_comm(char *to, const struct dataset_row *row)
{
	return put_name(to, &row->event->switched.prev.comm, row->text ? &row->text->prev_comm : NULL);
}

/* --- Columns --- */

#define STANDARD_VALUES 7 /* the first standard columns; the others are labels */

static const struct column standard_columns[CSV_COLUMNS] = {
    {"timestamp", "s, 9 decimals",
     "the kernel's trace clock, exact to the nanosecond; rows of text traces keep the 6 decimals of the text",
     COLUMN_SECONDS, .put = put_timestamp},
    {"time_diff", "s, 9 decimals", "time since the previous switch of this trace, on any CPU; 0 for the first",
     COLUMN_SECONDS, .put = put_time_diff},
    {"task_name", "", "the task switched in: the target of a next-task predictor", COLUMN_TEXT, .put = put_task_name},
    {"pid", "", "its process id; 0 is idle", COLUMN_INTEGER, .put = put_pid},
    {"cpu", "", "CPU of the switch, from 0", COLUMN_INTEGER, .put = put_cpu},
    {"prev_state", "",
     "why the previous task left the CPU, as in the kernel's text: S sleeps, D sleeps uninterruptibly (block I/O), R "
     "still runnable (preempted on return to user space, or it yielded; always for the idle task), R+ preempted "
     "inside the kernel, T stopped, t traced, X dead, Z zombie, I idle kernel thread",
     COLUMN_TEXT, .put = put_prev_state},
    {"prev_comm", "", "the task switched out", COLUMN_TEXT, .put = put_prev_comm},
    {"workload_type", "",
     "the workload of this run; the whole machine is recorded, so rows of other tasks (kernel threads, the tracer on "
     "its own CPU, all other tasks of a host) have it too",
     COLUMN_TEXT, .label = LABEL_WORKLOAD},
    {"trace_id", "", "the run; do not train across its boundary", COLUMN_TEXT, .label = LABEL_TRACE_ID},
};

static const struct column scheduler_column = {
    "scheduler", "",
    "EEVDF (since 6.6) or CFS, by the kernel's release; with a scheduler of sched_ext the kernel's name of it; empty "
    "if the trace has no NAME.json",
    COLUMN_TEXT, .label = LABEL_SCHEDULER};

/* Unrolled, the functions of a constant table are called directly: a fifth faster. */
static char *put_standard(char *to, const struct dataset_row *row)
{
#pragma GCC unroll 9
	for (size_t i = 0; i < STANDARD_VALUES; i++) {
		to = standard_columns[i].put(to, row);
		*to++ = ',';
	}
	return to;
}

struct columns switch_columns(const char *text)
{
	struct columns columns = {.put_first = put_standard, .first_count = STANDARD_VALUES};

	columns_add(&columns, standard_columns, CSV_COLUMNS);
	if (text && strstr(text, "scheduler"))
		columns_add(&columns, &scheduler_column, 1);
	columns.extended = text && strncmp(text, "extended", strlen("extended")) == 0;
	if (columns.extended)
		columns_add(&columns, extended_column_rows, extended_column_count);
	return columns;
}
