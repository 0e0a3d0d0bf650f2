/* SPDX-License-Identifier: MIT */
#include "export/switch_rows.h"

#include "base/csv_field.h"
#include "base/decimal.h"
#include "export/switch_line.h"

#define STATE_TEXT_SIZE 32
/* Enough for all columns of a row except the last one. */
#define ROW_MAX (2 * CSV_FIELD_MAX(SCHED_COMM_SIZE) + STATE_TEXT_SIZE + 8 * DECIMAL_MAX + 32)

/* The last slice is the one that the switch ends. */
static const struct task_slice *slice_of(const struct task_step *step)
{
	const struct task_slice *slice = step->slice_count ? &step->slices[step->slice_count - 1] : NULL;

	return slice && !slice->start_cut && !slice->end_cut ? slice : NULL;
}

static const char *state_text(const struct switch_row *row, char text[STATE_TEXT_SIZE])
{
	sched_source_state_text(row->source, row->event->switched.prev_state, text, STATE_TEXT_SIZE);
	return text;
}

void switch_row_add_line(const struct switch_row *row, uint64_t time_ns, const struct switch_line_form *form,
			 struct buffer *out)
{
	const struct sched_event *event = row->event;
	const struct task_slice *slice = slice_of(row->step);
	char state[STATE_TEXT_SIZE];

	if (event->kind == SCHED_MARK)
		switch_line_mark(time_ns, event->mark.text, event->mark.length, out);
	if (event->kind == SCHED_LOST)
		switch_line_lost(time_ns, event->cpu, event->lost.count_known, event->lost.count, out);
	if (event->kind != SCHED_SWITCH)
		return;
	const struct switch_line line = {
	    .time_ns = time_ns,
	    .cpu = event->cpu,
	    .prev = &event->switched.prev,
	    .next = &event->switched.next,
	    .state = state_text(row, state),
	    .runtime_known = slice,
	    .runtime_ns = slice ? slice->end_ns - slice->start_ns : 0,
	};
	switch_line_add(&line, form, out);
}

static const char *kind_name(enum sched_event_kind kind)
{
	return kind == SCHED_SWITCH ? "switch" : kind == SCHED_MARK ? "mark" : "lost";
}

/* Writes the text and a comma. */
static char *put_field(char *to, const char *text)
{
	while (*text)
		*to++ = *text++;
	*to++ = ',';
	return to;
}

static char *put_number(char *to, uint64_t value)
{
	to = decimal_put(to, value);
	*to++ = ',';
	return to;
}

static char *put_csv_task(char *to, const struct sched_task *task)
{
	to = csv_field_put(to, task->comm.bytes, task->comm.length);
	*to++ = ',';
	to = decimal_put_signed(to, task->pid);
	*to++ = ',';
	to = decimal_put_signed(to, task->prio);
	*to++ = ',';
	return to;
}

static char *put_csv_switch(char *to, const struct switch_row *row)
{
	const struct task_slice *slice = slice_of(row->step);
	char state[STATE_TEXT_SIZE];

	to = put_csv_task(to, &row->event->switched.prev);
	to = put_field(to, state_text(row, state));
	if (slice)
		to = decimal_put(to, slice->end_ns - slice->start_ns);
	*to++ = ',';
	return put_csv_task(to, &row->event->switched.next);
}

const char switch_row_csv_heading[] = "run,ts_ns,cpu,kind,prev_comm,prev_pid,prev_prio,prev_state,runtime_ns,next_comm,"
				      "next_pid,next_prio,text";

void switch_row_add_csv(const struct switch_row *row, struct buffer *out)
{
	const struct sched_event *event = row->event;
	size_t text_max = event->kind == SCHED_MARK ? CSV_FIELD_MAX(event->mark.length) : DECIMAL_MAX;
	char *start = buffer_reserve(out, ROW_MAX + text_max);

	if (!start)
		return;
	char *to = put_number(start, row->run);
	to = put_number(to, event->ts_ns);
	to = put_number(to, event->cpu);
	to = put_field(to, kind_name(event->kind));
	to = event->kind == SCHED_SWITCH ? put_csv_switch(to, row) : put_field(to, ",,,,,,,");
	if (event->kind == SCHED_MARK)
		to = csv_field_put(to, event->mark.text, event->mark.length);
	if (event->kind == SCHED_LOST && event->lost.count_known)
		to = decimal_put(to, event->lost.count);
	*to++ = '\n';
	*to = '\0';
	out->length += (size_t)(to - start);
}

static void add_json_task(struct json_writer *json, const char *key, const struct sched_task *task)
{
	json_object_begin(json, key);
	json_bytes(json, "comm", task->comm.bytes, task->comm.length);
	json_i64(json, "pid", task->pid);
	json_i64(json, "prio", task->prio);
	json_object_end(json);
}

void switch_row_add_json(const struct switch_row *row, struct json_writer *json)
{
	const struct sched_event *event = row->event;
	const struct task_slice *slice = slice_of(row->step);
	char state[STATE_TEXT_SIZE];

	json_object_begin(json, NULL);
	json_u64(json, "run", row->run);
	json_u64(json, "ts_ns", event->ts_ns);
	json_u64(json, "cpu", event->cpu);
	json_text(json, "kind", kind_name(event->kind));
	if (event->kind == SCHED_SWITCH) {
		add_json_task(json, "prev", &event->switched.prev);
		json_text(json, "prev_state", state_text(row, state));
		if (slice)
			json_u64(json, "runtime_ns", slice->end_ns - slice->start_ns);
		else
			json_null(json, "runtime_ns");
		add_json_task(json, "next", &event->switched.next);
	} else if (event->kind == SCHED_MARK) {
		json_bytes(json, "text", event->mark.text, event->mark.length);
	} else if (event->lost.count_known) {
		json_u64(json, "lost_events", event->lost.count);
	} else {
		json_null(json, "lost_events");
	}
	json_object_end(json);
}
