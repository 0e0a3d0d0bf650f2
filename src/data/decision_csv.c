/* SPDX-License-Identifier: MIT */
#include "data/decision_csv.h"

#include <stdlib.h>
#include <string.h>

#include "base/csv_field.h"
#include "base/decimal.h"
#include "base/memory.h"

/* --- Values --- */

static const char *label_trace_id(const struct trace_labels *labels)
{
	return labels->trace_id;
}

static const char *label_workload(const struct trace_labels *labels)
{
	return labels->workload;
}

static const char *label_category(const struct trace_labels *labels)
{
	return labels->category;
}

static const char *label_kernel(const struct trace_labels *labels)
{
	return labels->kernel;
}

static const char *label_scheduler(const struct trace_labels *labels)
{
	return labels->scheduler;
}

static const char *label_base_slice(const struct trace_labels *labels)
{
	return labels->base_slice_ns;
}

static const char *label_weight(const struct trace_labels *labels)
{
	return labels->weight;
}

static void add_number(uint64_t value, struct buffer *out)
{
	char text[DECIMAL_MAX];

	buffer_add(out, text, (size_t)(decimal_put(text, value) - text));
}

static void add_signed(int64_t value, struct buffer *out)
{
	char text[DECIMAL_MAX + 1];

	buffer_add(out, text, (size_t)(decimal_put_signed(text, value) - text));
}

static void add_name(const struct sched_task *task, struct buffer *out)
{
	csv_field_add(out, task->comm.bytes, task->comm.length);
}

static uint64_t elapsed_ns(const struct decision_row *row)
{
	return row->decision->ts_ns - row->states->first_ns;
}

static void add_if_known(bool known, uint64_t value, struct buffer *out)
{
	if (known)
		add_number(value, out);
}

static void add_time_ns(const struct decision_row *row, struct buffer *out)
{
	add_number(elapsed_ns(row), out);
}

static void add_cpu(const struct decision_row *row, struct buffer *out)
{
	add_number(row->decision->cpu, out);
}

static void add_others_running(const struct decision_row *row, struct buffer *out)
{
	add_if_known(row->decision->others_running_known, row->decision->others_running, out);
}

static void add_others_idle(const struct decision_row *row, struct buffer *out)
{
	add_if_known(row->decision->others_running_known, row->decision->others_idle, out);
}

static void add_others_waiting(const struct decision_row *row, struct buffer *out)
{
	add_if_known(row->decision->others_waiting_known, row->decision->others_waiting, out);
}

static void add_prev_name(const struct decision_row *row, struct buffer *out)
{
	add_name(&row->event->switched.prev, out);
}

static void add_prev_role(const struct decision_row *row, struct buffer *out)
{
	if (row->event->switched.prev.pid == 0)
		buffer_text(out, "idle");
	else if (row->decision->prev_known)
		buffer_text(out, role_of(row->roles, row->decision->prev));
}

static void add_prev_prio(const struct decision_row *row, struct buffer *out)
{
	add_signed(row->event->switched.prev.prio, out);
}

static void add_prev_state(const struct decision_row *row, struct buffer *out)
{
	if (row->decision->prev_known && row->decision->prev_out != LEAVE_UNKNOWN)
		buffer_text(out, leave_reason_letter(row->decision->prev_out));
}

static void add_prev_ran_ns(const struct decision_row *row, struct buffer *out)
{
	add_if_known(row->decision->prev_ran_known, row->decision->prev_ran_ns, out);
}

static void add_candidates(const struct decision_row *row, struct buffer *out)
{
	add_number(row->decision->candidate_count, out);
}

static void add_chosen(const struct decision_row *row, struct buffer *out)
{
	if (row->decision->chosen != UINT32_MAX)
		add_number(row->decision->chosen, out);
}

static void add_next_name(const struct decision_row *row, struct buffer *out)
{
	add_name(&row->event->switched.next, out);
}

static void add_next_role(const struct decision_row *row, struct buffer *out)
{
	buffer_text(out, role_of(row->roles, row->decision->chosen_task));
}

/* --- Values of a candidate --- */

static void add_known(bool known, uint64_t value, struct buffer *out)
{
	if (known)
		add_number(value, out);
	else
		buffer_text(out, "-");
}

static void add_roles(const struct decision_row *row, const struct decision_candidate *it, struct buffer *out)
{
	buffer_text(out, role_of(row->roles, it->task));
}

static void add_causes(const struct decision_row *row, const struct decision_candidate *it, struct buffer *out)
{
	(void)row;
	buffer_text(out, decision_causes[it->cause]);
}

static void add_waiting_ns(const struct decision_row *row, const struct decision_candidate *it, struct buffer *out)
{
	add_number(row->decision->ts_ns - it->since_ns, out);
}

static void add_slice_ns(const struct decision_row *row, const struct decision_candidate *it, struct buffer *out)
{
	(void)row;
	add_known(it->slice_known, it->slice_ns, out);
}

static void add_runtime_ns(const struct decision_row *row, const struct decision_candidate *it, struct buffer *out)
{
	(void)row;
	add_known(it->runtime_known, it->runtime_ns, out);
}

static void add_share_ppm(const struct decision_row *row, const struct decision_candidate *it, struct buffer *out)
{
	const uint64_t elapsed = elapsed_ns(row);

	add_known(it->runtime_known, elapsed ? (uint64_t)((double)it->runtime_ns * 1e6 / (double)elapsed) : 0, out);
}

static void add_prios(const struct decision_row *row, const struct decision_candidate *it, struct buffer *out)
{
	(void)row;
	add_signed(it->prio, out);
}

static void add_last_cpus(const struct decision_row *row, const struct decision_candidate *it, struct buffer *out)
{
	(void)row;
	add_known(it->last_cpu_known, it->last_cpu, out);
}

/* The idle tasks of all CPUs have PID 0. */
static void add_woken_by_prev(const struct decision_row *row, const struct decision_candidate *it, struct buffer *out)
{
	const struct task *task = &row->states->tasks[it->task];
	const int32_t prev_pid = row->event->switched.prev.pid;
	const bool by_prev = task->waker_pid == prev_pid && (prev_pid != 0 || task->waking_cpu == row->event->cpu);

	add_known(task->waker_pid >= 0, by_prev, out);
}

/* --- Columns --- */

const struct decision_column decision_columns[] = {
    {{"trace_id", "",
      "the run: its name and the first digits of the SHA-256 of its trace, so that no two runs share it", COLUMN_TEXT},
     .label = label_trace_id},
    {{"workload_type", "", "the workload of the run", COLUMN_TEXT}, .label = label_workload},
    {{"category", "", "its category", COLUMN_TEXT}, .label = label_category},
    {{"kernel", "", "release of the kernel", COLUMN_TEXT}, .label = label_kernel},
    {{"scheduler", "", "CFS or EEVDF, by the release (EEVDF since 6.6); with a sched_ext scheduler the name of its ops",
      COLUMN_TEXT},
     .label = label_scheduler},
    {{"base_slice_ns", "ns", "the tunable of this name at the run; dataset_meta.json has all tunables of each trace",
      COLUMN_INTEGER},
     .label = label_base_slice},
    {{"time_ns", "ns", "since the first event of the trace", COLUMN_INTEGER}, .add = add_time_ns},
    {{"cpu", "", "CPU that switched", COLUMN_INTEGER}, .add = add_cpu},
    {{"others_running", "CPUs", "other CPUs that run a task; this and the following are empty if lost events hide it",
      COLUMN_INTEGER},
     .add = add_others_running},
    {{"others_idle", "CPUs", "other CPUs that are idle", COLUMN_INTEGER}, .add = add_others_idle},
    {{"others_waiting", "tasks", "tasks that wait for other CPUs", COLUMN_INTEGER}, .add = add_others_waiting},
    {{"prev_name", "", "name of the task that left", COLUMN_TEXT}, .add = add_prev_name},
    {{"prev_role", "", "its role; idle for an idle CPU", COLUMN_TEXT}, .add = add_prev_role},
    {{"prev_prio", "", "its kernel priority: lower is more urgent, 120 is nice 0, below 100 is real-time",
      COLUMN_INTEGER},
     .add = add_prev_prio},
    {{"prev_state", "", "why it left: R, R+, S, D, I, T, X, as prev_state of other datasets; empty if unknown",
      COLUMN_TEXT},
     .add = add_prev_state},
    {{"prev_ran_ns", "ns", "how long it had run; empty for the idle task, and if its start was not seen",
      COLUMN_INTEGER},
     .add = add_prev_ran_ns},
    {{"candidates", "tasks", "tasks that waited for this CPU, the chosen one included; 1: there was no choice",
      COLUMN_INTEGER},
     .add = add_candidates},
    {{"candidate_roles", "list",
      "roles of the candidates, longest wait first (equal waits by PID), at most 64; all lists have this order",
      COLUMN_TEXTS},
     .add_candidate = add_roles},
    {{"candidate_causes", "list",
      "how each became runnable: wakeup, new (forked), preempted (R+), runnable (R: preempted or yielded)",
      COLUMN_TEXTS},
     .add_candidate = add_causes},
    {{"candidate_waiting_ns", "list, ns", "time since then", COLUMN_INTEGERS}, .add_candidate = add_waiting_ns},
    {{"candidate_slice_ns", "list, ns", "CPU time since its latest wakeup or fork; - if that was not seen",
      COLUMN_INTEGERS},
     .add_candidate = add_slice_ns},
    {{"candidate_runtime_ns", "list, ns", "its CPU time in the trace so far; - after lost events", COLUMN_INTEGERS},
     .add_candidate = add_runtime_ns},
    {{"candidate_share_ppm", "list, ppm", "that as parts per million of time_ns", COLUMN_INTEGERS},
     .add_candidate = add_share_ppm},
    {{"candidate_prios", "list", "kernel priorities", COLUMN_INTEGERS}, .add_candidate = add_prios},
    {{"candidate_last_cpus", "list", "CPU on which it ran last; - if it has not run in the trace", COLUMN_INTEGERS},
     .add_candidate = add_last_cpus},
    {{"candidate_woken_by_prev", "list, 0 or 1",
      "1 if it was woken by the task that left, or by an interrupt while that ran; - if it was not woken",
      COLUMN_INTEGERS},
     .add_candidate = add_woken_by_prev},
    {{"chosen", "index",
      "place of the chosen task in the lists, from 0: the target of a decision; empty if it is not among the 64",
      COLUMN_INTEGER},
     .add = add_chosen},
    {{"next_name", "", "name of the chosen task", COLUMN_TEXT}, .add = add_next_name},
    {{"next_role", "", "its role: name and number by birth, the same in other runs and under other kernels",
      COLUMN_TEXT},
     .add = add_next_role},
    {{"weight", "", "only with --weights: with it each workload of a file counts the same; the mean of a file is 1",
      COLUMN_REAL},
     .label = label_weight},
};
enum { DECISION_COLUMNS = sizeof(decision_columns) / sizeof(*decision_columns) };

const char *const decision_causes[WAIT_CAUSES] = {
    [WAIT_WAKEUP] = "wakeup", [WAIT_NEW] = "new", [WAIT_PREEMPTED] = "preempted", [WAIT_RUNNABLE] = "runnable"};

/* weight is the last column. */
size_t decision_column_count(bool has_weights)
{
	return has_weights ? DECISION_COLUMNS : DECISION_COLUMNS - 1;
}

void decision_add_header(bool has_weights, struct buffer *out)
{
	for (size_t i = 0; i < decision_column_count(has_weights); i++) {
		buffer_text(out, i ? "," : "");
		buffer_text(out, decision_columns[i].column.name);
	}
	buffer_text(out, "\r\n");
}

/* --- Rows --- */

void decision_writer_begin(struct decision_writer *writer, bool has_weights, const struct trace_labels *labels)
{
	writer->column_count = decision_column_count(has_weights);
	writer->labels = xcalloc(writer->column_count, sizeof(*writer->labels));
	for (size_t i = 0; i < writer->column_count; i++) {
		const char *label = decision_columns[i].label ? decision_columns[i].label(labels) : "";
		csv_field_add(&writer->labels[i], label, strlen(label));
	}
}

void decision_writer_end(struct decision_writer *writer)
{
	for (size_t i = 0; i < writer->column_count; i++)
		buffer_free(&writer->labels[i]);
	free(writer->labels);
	*writer = (struct decision_writer){0};
}

static void add_list(const struct decision_column *column, const struct decision_row *row, struct buffer *out)
{
	for (uint32_t i = 0; i < row->decision->listed; i++) {
		if (i)
			buffer_add(out, " ", 1);
		column->add_candidate(row, &row->decision->candidates[i], out);
	}
}

void decision_add_row(const struct decision_writer *writer, const struct decision_row *row, struct buffer *out)
{
	for (size_t i = 0; i < writer->column_count; i++) {
		const struct decision_column *column = &decision_columns[i];
		if (i)
			buffer_add(out, ",", 1);
		if (column->label)
			buffer_add(out, writer->labels[i].data, writer->labels[i].length);
		else if (column->add_candidate)
			add_list(column, row, out);
		else
			column->add(row, out);
	}
	buffer_add(out, "\r\n", 2);
}
