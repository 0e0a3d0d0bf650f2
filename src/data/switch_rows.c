/* SPDX-License-Identifier: MIT */
#include "data/switch_rows.h"

#include <stdlib.h>
#include <string.h>

#include "base/copy.h"
#include "base/csv_field.h"
#include "base/decimal.h"
#include "base/memory.h"
#include "data/rows.h"
#include "trace/source.h"
#include "trace/task_states.h"

/* --- Values --- */

static char *put_timestamp(char *to, const struct dataset_row *row)
{
	/* Lines in microseconds have no such word. */
	if (row->text && row->text->timestamp.length)
		return copy_short(to, row->text->timestamp.bytes, row->text->timestamp.length);
	return decimal_put_seconds(to, row->time.ts_ns);
}

static char *put_time_diff(char *to, const struct dataset_row *row)
{
	if (row->time.diff_is_negative)
		*to++ = '-';
	return decimal_put_seconds(to, row->time.diff_ns);
}

/* Writes the name of a task; for a text trace, as the trace writes it. */
static char *put_name(char *to, const struct sched_comm *comm, const struct ftrace_span *word)
{
	return word ? csv_field_put(to, word->bytes, word->length) : csv_field_put(to, comm->bytes, comm->length);
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

static char *put_prev_state(char *to, const struct dataset_row *row)
{
	char text[32];

	if (row->text)
		return csv_field_put(to, row->text->prev_state.bytes, row->text->prev_state.length);
	row->reasons->text(row->reasons->context, row->event->switched.prev_state, text, sizeof(text));
	return csv_field_put(to, text, strlen(text));
}

static char *put_prev_comm(char *to, const struct dataset_row *row)
{
	return put_name(to, &row->event->switched.prev.comm, row->text ? &row->text->prev_comm : NULL);
}

/* --- Values of extended columns; unknown ones are empty --- */

static char *put_next_prio(char *to, const struct dataset_row *row)
{
	return decimal_put_signed(to, row->event->switched.next.prio);
}

static char *put_prev_pid(char *to, const struct dataset_row *row)
{
	return decimal_put_signed(to, row->event->switched.prev.pid);
}

static char *put_prev_prio(char *to, const struct dataset_row *row)
{
	return decimal_put_signed(to, row->event->switched.prev.prio);
}

static char *put_prev_runtime(char *to, const struct dataset_row *row)
{
	const struct extended_values *values = row->extended;

	return values->runtime_known ? decimal_put_seconds(to, values->prev_runtime_ns) : to;
}

static char *put_wakeup_latency(char *to, const struct dataset_row *row)
{
	const struct extended_values *values = row->extended;

	return values->latency_known ? decimal_put_seconds(to, values->wakeup_latency_ns) : to;
}

static char *put_waker_pid(char *to, const struct dataset_row *row)
{
	return row->extended->waker_known ? decimal_put_signed(to, row->extended->waker_pid) : to;
}

static char *put_waker_comm(char *to, const struct dataset_row *row)
{
	const struct sched_comm *waker = row->extended->waker;

	return waker ? csv_field_put(to, waker->bytes, waker->length) : to;
}

static char *put_migrated(char *to, const struct dataset_row *row)
{
	return row->extended->migrated_known ? decimal_put(to, row->extended->migrated) : to;
}

static char *put_runnable_tasks(char *to, const struct dataset_row *row)
{
	return row->extended->runnable_known ? decimal_put(to, row->extended->runnable) : to;
}

/* --- Columns --- */

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
    "EEVDF (since 6.6) or CFS, by the kernel's release; with a sched_ext scheduler its name in the kernel; empty "
    "if the trace has no NAME.json",
    COLUMN_TEXT, .label = LABEL_SCHEDULER};

static const struct column extended_columns[] = {
    {"next_prio", "",
     "kernel priority of the task switched in: lower is more urgent, 120 is nice 0, below 100 is real-time",
     COLUMN_INTEGER, .put = put_next_prio},
    {"prev_pid", "", "process id of the task switched out", COLUMN_INTEGER, .put = put_prev_pid},
    {"prev_prio", "", "its kernel priority", COLUMN_INTEGER, .put = put_prev_prio},
    {"prev_runtime", "s, 9 decimals", "how long the task switched out had run since it was switched in", COLUMN_SECONDS,
     .put = put_prev_runtime},
    {"wakeup_latency", "s, 9 decimals",
     "how long the task switched in had waited since its wakeup or fork; empty if it waited for another reason, such "
     "as a preemption",
     COLUMN_SECONDS, .put = put_wakeup_latency},
    {"waker_pid", "",
     "the task that woke or forked it: the task running there at that moment, even if an interrupt caused the wakeup; "
     "0 is an idle CPU",
     COLUMN_INTEGER, .put = put_waker_pid},
    {"waker_comm", "", "name of that task", COLUMN_TEXT, .put = put_waker_comm},
    {"migrated", "0 or 1", "1 if the task switched in changed its CPU since it last ran, even if it came back",
     COLUMN_INTEGER, .put = put_migrated},
    {"runnable_tasks", "tasks",
     "tasks waiting for this CPU at this moment, as far as the trace shows, without the task switched in; empty after "
     "record --pid, and after lost events until the CPU has been idle",
     COLUMN_INTEGER, .put = put_runnable_tasks},
};

struct columns switch_columns(const char *text)
{
	struct columns columns = {0};

	columns_add(&columns, standard_columns, CSV_COLUMNS);
	if (text && strstr(text, "scheduler"))
		columns_add(&columns, &scheduler_column, 1);
	columns.extended = text && strncmp(text, "extended", strlen("extended")) == 0;
	if (columns.extended)
		columns_add(&columns, extended_columns, sizeof(extended_columns) / sizeof(*extended_columns));
	return columns;
}

/* --- Values of the extended columns: memory grows only with the number of tasks --- */

/* Per-task state in addition to task_states. */
struct extended_task {
	uint32_t last_cpu; /* CPU on which it ran last */
	uint32_t epoch;    /* epoch of losses in which last_cpu is valid, plus 1; 0: it has not run */
	bool migrated;     /* since its last run */
	uint32_t waker;    /* the task that woke it last, or TASK_NONE */
};

struct extended_columns {
	struct task_states states;
	struct extended_task *tasks; /* by task number */
	uint32_t capacity;
	bool lacks_wakeups; /* the trace has no wakeups: the number of waiting tasks is unknown */
};

static void reserve(struct extended_columns *extended)
{
	uint32_t capacity = extended->capacity ? extended->capacity : 1024;

	while (capacity < extended->states.task_count)
		capacity *= 2;
	struct extended_task *tasks = xreallocarray(extended->tasks, capacity, sizeof(*tasks));

	for (uint32_t i = extended->capacity; i < capacity; i++)
		tasks[i] = (struct extended_task){.waker = TASK_NONE};
	extended->tasks = tasks;
	extended->capacity = capacity;
}

/* How long the task waited, and which task woke it. */
static void take_wait(const struct extended_columns *extended, const struct task_wait *wait,
		      struct extended_values *values)
{
	if (wait->cause != WAIT_WAKEUP && wait->cause != WAIT_NEW)
		return;
	values->latency_known = true;
	values->wakeup_latency_ns = wait->end_ns - wait->since_ns;
	values->waker_known = wait->waker_pid >= 0;
	values->waker_pid = wait->waker_pid;
	uint32_t waker = extended->tasks[wait->task].waker;
	/* The name of a task that was only seen running may still be unknown. */
	if (waker != TASK_NONE && (wait->waker_pid == 0 || extended->states.tasks[waker].prio != TASK_PRIO_UNKNOWN))
		values->waker = task_comm(&extended->states, waker);
}

/* If the switch from a task is missing, the task may have run on another CPU since. */
static void note_ends(struct extended_columns *extended, const struct task_step *step)
{
	for (unsigned int i = 0; i < step->slice_count; i++) {
		const struct task_slice *ended = &step->slices[i];
		extended->tasks[ended->task] = (struct extended_task){
		    ended->cpu, ended->end_cut ? 0 : extended->states.epoch + 1, false, TASK_NONE};
	}
}

static void take_start(const struct extended_columns *extended, uint32_t number, uint32_t cpu,
		       struct extended_values *values)
{
	const struct extended_task *task = &extended->tasks[number];
	bool is_idle = extended->states.tasks[number].is_idle; /* never leaves its CPU */

	values->migrated_known = is_idle || task->epoch == extended->states.epoch + 1;
	/* Some traces lack migration events. */
	values->migrated = !is_idle && values->migrated_known && (task->migrated || task->last_cpu != cpu);
	/* Moves there and back may be missing. */
	if (!values->migrated && trace_scope_is_part(extended->states.scope))
		values->migrated_known = false;
}

static void take_switch(struct extended_columns *extended, const struct sched_event *event,
			const struct task_step *step, struct extended_values *values)
{
	*values = (struct extended_values){
	    .runnable_known = !extended->lacks_wakeups && !trace_scope_is_part(extended->states.scope) &&
			      !extended->states.cpus[event->cpu].hides_waiting,
	    .runnable = extended->states.cpus[event->cpu].runnable,
	};
	if (step->changes & STEP_WAIT)
		take_wait(extended, &step->wait, values);
	if (step->changes & STEP_RUN)
		take_start(extended, step->started, event->cpu, values);
	if (step->changes & STEP_SLICE) {
		const struct task_slice *ended = &step->slices[step->slice_count - 1];
		values->runtime_known = !ended->start_cut && !ended->end_cut;
		values->prev_runtime_ns = ended->end_ns - ended->start_ns;
	}
}

/* Processes the next event. For a switch, values are filled in and valid until the next call. */
static enum status step_extended(struct extended_columns *extended, const struct sched_event *event,
				 struct extended_values *values, struct error *err)
{
	struct task_step step;
	enum status status = task_states_step(&extended->states, event, &step, err);

	if (status != STATUS_OK)
		return status;
	if (extended->states.task_count > extended->capacity)
		reserve(extended);
	if (step.changes & STEP_SLICE && !(step.changes & STEP_LOSS))
		note_ends(extended, &step);
	if (step.changes & STEP_WAKEUP && !(step.changes & STEP_SPURIOUS))
		extended->tasks[step.wakeup.task].waker = step.wakeup.waker;
	if (step.changes & STEP_MIGRATION)
		extended->tasks[step.migration.task].migrated = true;
	if (event->kind == SCHED_SWITCH)
		take_switch(extended, event, &step, values);
	return STATUS_OK;
}

/* --- Rows --- */

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

/* Counts all events of a trace.dat. */
static enum status read_events(struct rows *rows, struct sched_source *source, uint64_t *events, struct error *err)
{
	const bool is_text = rows->input->kind == INPUT_TEXT;
	struct extended_columns extended = {.tasks = NULL};
	struct extended_values values;
	struct sched_event event;
	struct dataset_row row = {.event = &event, .reasons = sched_source_leave_reasons(source), .extended = &values};
	enum status status;

	if (rows->columns->extended) {
		task_states_begin(&extended.states, sched_source_leave_reasons(source), sched_source_scope(source));
		extended.states.names = sched_source_names(source);
		extended.lacks_wakeups = is_text && !has_wakeups(&rows->input->file);
	} else {
		sched_source_switches_only(source);
	}
	while ((status = sched_source_next(source, &event, err)) == STATUS_OK) {
		*events += !sched_event_is_loss(&event);
		if (rows->columns->extended)
			status = step_extended(&extended, &event, &values, err);
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
		task_states_free(&extended.states);
	free(extended.tasks);
	return status == STATUS_END ? STATUS_OK : status;
}

static enum status read_switches(struct rows *rows, struct error *err)
{
	struct sched_source *source;
	uint64_t events = 0;
	enum status status = input_source(rows->input, &source, err);

	if (status == STATUS_UNSUPPORTED && rows->input->kind == INPUT_TEXT && err && !err->remedy[0])
		return error_remedy(err, "move it out of the directory of raw traces");
	if (status != STATUS_OK)
		return status;
	status = read_events(rows, source, &events, err);
	if (status == STATUS_OK) {
		rows->trace->switches = rows->trace->rows;
		status = rows_take_findings(rows, source, events, err);
	}
	sched_source_close(source);
	return status;
}

const struct row_kind switch_rows = {
    .task = "switch",
    .plural = "switches",
    .record = "One record per switch of a CPU.",
    .columns = switch_columns,
    .read = read_switches,
    .remedy = "the workload may have ended too quickly or tracing was off; record again with picknext collect",
};
