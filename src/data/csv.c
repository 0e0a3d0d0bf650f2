/* SPDX-License-Identifier: MIT */
#include "data/csv.h"

#include <string.h>

#include "base/copy.h"
#include "base/csv_field.h"

#define NUMBERS_MAX  112u /* timestamp, time_diff, pid, cpu and all commas of a row */
#define EXTENDED_MAX 200u /* the extended columns: a name of 16 bytes takes at most 34 */

const struct csv_column csv_columns[CSV_ALL_COLUMNS] = {
    {"timestamp", "s, 9 decimals",
     "the kernel's trace clock, exact to the nanosecond; rows of text traces keep the 6 decimals of the text"},
    {"time_diff", "s, 9 decimals", "time since the previous switch of this trace, on any CPU; 0 for the first"},
    {"task_name", "", "the task switched in: the target of a next-task predictor"},
    {"pid", "", "its process id; 0 is idle"},
    {"cpu", "", "CPU of the switch, from 0"},
    {"prev_state", "",
     "why the previous task left the CPU, as in the kernel's text: S sleeps, D sleeps uninterruptibly (block I/O), R "
     "still "
     "runnable (preempted on return to user space, or it yielded; always for the idle task), R+ preempted inside the "
     "kernel, T stopped, t traced, X dead, Z zombie, I idle kernel thread"},
    {"prev_comm", "", "the task switched out"},
    {"workload_type", "",
     "the workload of this run; the whole machine is recorded, so rows of other tasks (kernel threads, the tracer on "
     "its "
     "own CPU, all other tasks of a host) have it too"},
    {"trace_id", "", "the run; do not train across its boundary"},
    {"scheduler", "",
     "EEVDF (since 6.6) or CFS, by the kernel's release; with a scheduler of sched_ext the kernel's name of it; empty "
     "if "
     "the trace has no NAME.json"},
    {"next_prio", "",
     "kernel priority of the task switched in: lower is more urgent, 120 is nice 0, below 100 is real-time"},
    {"prev_pid", "", "process id of the task switched out"},
    {"prev_prio", "", "its kernel priority"},
    {"prev_runtime", "s, 9 decimals", "how long the task switched out had run since it was switched in"},
    {"wakeup_latency", "s, 9 decimals",
     "how long the task switched in had waited since its wakeup or fork; empty if it waited for another reason, such "
     "as a "
     "preemption"},
    {"waker_pid", "",
     "the task that woke or forked it: the task running there at that moment, even if an interrupt caused the wakeup; "
     "0 "
     "is an idle CPU"},
    {"waker_comm", "", "name of that task"},
    {"migrated", "0 or 1", "1 if the task switched in changed its CPU since it last ran, even if it came back"},
    {"runnable_tasks", "tasks",
     "tasks waiting for this CPU at this moment, as far as the trace shows, without the task switched in; empty after "
     "record --pid"},
};

struct csv_layout csv_layout_of(const char *text)
{
	return (struct csv_layout){
	    .scheduler = text && strstr(text, "scheduler"),
	    .extended = text && strncmp(text, "extended", strlen("extended")) == 0,
	};
}

size_t csv_column_count(struct csv_layout layout)
{
	return CSV_COLUMNS + (size_t)layout.scheduler + (layout.extended ? CSV_EXTENDED_COLUMNS : 0u);
}

const struct csv_column *csv_column_at(struct csv_layout layout, size_t index)
{
	return &csv_columns[index < CSV_COLUMNS || layout.scheduler ? index : index + 1];
}

void csv_add_header(struct buffer *out, struct csv_layout layout)
{
	for (size_t i = 0; i < csv_column_count(layout); i++) {
		buffer_text(out, i ? "," : "");
		buffer_text(out, csv_column_at(layout, i)->name);
	}
	buffer_text(out, "\r\n");
}

bool csv_writer_begin(struct csv_writer *writer, const char *workload_type, const char *trace_id, const char *scheduler)
{
	csv_field_add(&writer->labels, workload_type, strlen(workload_type));
	buffer_text(&writer->labels, ",");
	csv_field_add(&writer->labels, trace_id, strlen(trace_id));
	if (writer->layout.scheduler) {
		buffer_text(&writer->labels, ",");
		csv_field_add(&writer->labels, scheduler, strlen(scheduler));
	}
	buffer_text(&writer->labels, writer->layout.extended ? "," : "\r\n");
	return !writer->labels.failed;
}

void csv_writer_end(struct csv_writer *writer)
{
	buffer_free(&writer->labels);
}

static char *put_text(char *to, const char *bytes, size_t length)
{
	to = csv_field_put(to, bytes, length);
	*to++ = ',';
	return to;
}

static char *put_signed(char *to, int64_t value)
{
	if (value < 0)
		*to++ = '-';
	to = decimal_put(to, value < 0 ? 0 - (uint64_t)value : (uint64_t)value);
	*to++ = ',';
	return to;
}

/* The first fields, from the comma after the timestamp. */
static char *put_diff(char *to, const struct csv_time *time)
{
	*to++ = ',';
	if (time->diff_is_negative)
		*to++ = '-';
	to = decimal_put_seconds(to, time->diff_ns);
	*to++ = ',';
	return to;
}

static char *put_cpu(char *to, uint32_t cpu)
{
	to = decimal_put(to, cpu);
	*to++ = ',';
	return to;
}

static char *put_extended(char *to, const struct csv_extended *extended)
{
	to = put_signed(to, extended->next_prio);
	to = put_signed(to, extended->prev_pid);
	to = put_signed(to, extended->prev_prio);
	if (extended->runtime_known)
		to = decimal_put_seconds(to, extended->prev_runtime_ns);
	*to++ = ',';
	if (extended->latency_known)
		to = decimal_put_seconds(to, extended->wakeup_latency_ns);
	*to++ = ',';
	if (extended->waker_known)
		to = put_signed(to, extended->waker_pid);
	else
		*to++ = ',';
	if (extended->waker)
		to = csv_field_put(to, extended->waker->bytes, extended->waker->length);
	*to++ = ',';
	if (extended->migrated_known)
		*to++ = extended->migrated ? '1' : '0';
	*to++ = ',';
	if (extended->runnable_known)
		to = decimal_put(to, extended->runnable);
	*to++ = '\r';
	*to++ = '\n';
	return to;
}

static void end_row(const struct csv_writer *writer, const struct csv_extended *extended, char *to, struct buffer *out)
{
	to = copy_short(to, writer->labels.data, writer->labels.length);
	if (writer->layout.extended)
		to = put_extended(to, extended);
	*to = '\0';
	out->length = (size_t)(to - out->data);
}

/* True if the pair has these values; otherwise they become its key. */
static bool has_values(struct csv_pair *pair, uint64_t number, const struct sched_comm *comm)
{
	_Static_assert(sizeof(*comm) == 17 && sizeof(comm->bytes) == 16, "two words and the length");
	if (pair->number == number && memcmp(pair->comm.bytes, comm->bytes, 8) == 0 &&
	    memcmp(pair->comm.bytes + 8, comm->bytes + 8, 8) == 0 && pair->comm.length == comm->length)
		return pair->length > 0;
	pair->number = number;
	pair->comm = *comm;
	return false;
}

static const struct csv_pair *task_pair(struct csv_writer *writer, const struct sched_task *task)
{
	struct csv_pair *pair = &writer->tasks[(uint32_t)task->pid % CSV_PAIRS];

	if (!has_values(pair, (uint32_t)task->pid, &task->comm)) {
		char *end = put_signed(put_text(pair->bytes, task->comm.bytes, task->comm.length), task->pid);
		pair->length = (uint32_t)(end - pair->bytes);
	}
	return pair;
}

static const struct csv_pair *state_pair(struct csv_writer *writer, const struct sched_task *task, uint64_t state)
{
	struct csv_pair *pair = &writer->states[((uint32_t)task->pid ^ (uint32_t)state << 3) % CSV_PAIRS];
	char text[32];

	if (!has_values(pair, state, &task->comm)) {
		writer->state_text(writer->state_context, state, text, sizeof(text));
		char *end = put_text(put_text(pair->bytes, text, strlen(text)), task->comm.bytes, task->comm.length);
		pair->length = (uint32_t)(end - pair->bytes);
	}
	return pair;
}

/* Usually at most 32 bytes. Copies of a fixed length compile to a few moves. */
static char *put_pair(char *to, const struct csv_pair *pair)
{
	memcpy(to, pair->bytes, 32);
	if (pair->length > 32)
		memcpy(to + 32, pair->bytes + 32, sizeof(pair->bytes) - 32);
	return to + pair->length;
}

void csv_add_event(struct csv_writer *writer, const struct sched_event *event, const struct csv_time *time,
		   const struct csv_extended *extended, struct buffer *out)
{
	const struct csv_pair *task = task_pair(writer, &event->switched.next);
	const struct csv_pair *state = state_pair(writer, &event->switched.prev, event->switched.prev_state);
	char *to =
	    buffer_reserve(out, NUMBERS_MAX + EXTENDED_MAX + 2 * sizeof(struct csv_pair) + writer->labels.length);

	if (!to)
		return;
	to = put_diff(decimal_put_time(to, time->ts_ns, &writer->second), time);
	to = put_cpu(put_pair(to, task), event->cpu);
	end_row(writer, extended, put_pair(to, state), out);
}

void csv_add_text_event(struct csv_writer *writer, const struct ftrace_text_switch *event, const struct csv_time *time,
			const struct csv_extended *extended, struct buffer *out)
{
	size_t texts =
	    event->timestamp.length + event->next_comm.length + event->prev_state.length + event->prev_comm.length;
	char *to = buffer_reserve(out, NUMBERS_MAX + EXTENDED_MAX + 2 * texts + 6 + writer->labels.length);

	if (!to)
		return;
	to = put_diff(copy_short(to, event->timestamp.bytes, event->timestamp.length), time);
	to = put_text(to, event->next_comm.bytes, event->next_comm.length);
	to = put_cpu(put_signed(to, event->next_pid), event->cpu);
	to = put_text(to, event->prev_state.bytes, event->prev_state.length);
	to = put_text(to, event->prev_comm.bytes, event->prev_comm.length);
	end_row(writer, extended, to, out);
}
