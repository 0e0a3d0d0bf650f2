/* SPDX-License-Identifier: MIT */
#include "data/rows.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/interrupt.h"
#include "data/extended_columns.h"
#include "trace/format/tracedat_layout.h"
#include "trace/format/tracedat_read.h"
#include "trace/source.h"

#define FLUSH_BYTES (((size_t)256 << 10) - 4096)
#define STEPS_MAX   ((uint32_t)1 << 12) /* some 250 KiB of a .dat, 1 MiB of text */

static enum status no_memory(const struct rows *rows, struct error *err)
{
	return error_system(err, ENOMEM, rows->trace->run.path, "cannot make rows");
}

static enum status flush(struct rows *rows, struct error *err)
{
	if (rows->pending.failed)
		return no_memory(rows, err);
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

static enum status flush_if_full(struct rows *rows, struct error *err)
{
	rows->pending_count++;
	if (rows->pending.length < FLUSH_BYTES && !rows->pending.failed)
		return STATUS_OK;
	return flush(rows, err);
}

static enum status add_event(struct rows *rows, const struct sched_event *event, const struct csv_extended *extended,
			     struct error *err)
{
	const struct csv_time time = next_time(rows, event->ts_ns);
	const struct sched_task *next = &event->switched.next;

	if (rows->take)
		return rows->take(
		    rows->context,
		    &(struct row){.time = time, .task_name = {next->comm.bytes, next->comm.length}, .pid = next->pid},
		    err);
	csv_add_event(rows->writer, event, &time, extended, &rows->pending);
	return flush_if_full(rows, err);
}

static enum status add_text_event(struct rows *rows, const struct ftrace_text_switch *event,
				  const struct csv_extended *extended, struct error *err)
{
	const struct csv_time time = next_time(rows, event->ts_ns);

	if (rows->take)
		return rows->take(rows->context,
				  &(struct row){.time = time,
						.timestamp = {event->timestamp.bytes, event->timestamp.length},
						.task_name = {event->next_comm.bytes, event->next_comm.length},
						.pid = event->next_pid},
				  err);
	csv_add_text_event(rows->writer, event, &time, extended, &rows->pending);
	return flush_if_full(rows, err);
}

/* Called for each event: periodically frees the file's memory and checks for a signal. */
static enum status step(struct rows *rows, struct error *err)
{
	if (++rows->steps < STEPS_MAX)
		return STATUS_OK;
	rows->steps = 0;
	file_map_forget(rows->file);
	return interrupt_check(err);
}

/* Of a text trace: sched_wakeup and sched_wakeup_new. */
static bool has_wakeups(const struct mapping *file)
{
	static const char name[] = ": sched_wakeup";

	return memmem(file->bytes, file->length, name, sizeof(name) - 1);
}

/* The extended columns need every event, in time order. */
static enum status read_extended(struct rows *rows, struct sched_source *source, struct error *err)
{
	struct extended_columns columns;
	struct sched_event event;
	enum status status = STATUS_OK;

	extended_columns_begin(&columns, source);
	columns.lacks_wakeups = rows->trace->run.is_text && !has_wakeups(rows->file);
	while (status == STATUS_OK) {
		struct csv_extended extended;
		status = sched_source_next(source, &event, err);
		if (status == STATUS_OK)
			status = extended_columns_step(&columns, &event, &extended, err);
		if (status == STATUS_OK && event.kind == SCHED_SWITCH)
			status = rows->trace->run.is_text
				     ? add_text_event(rows, sched_source_text_switch(source), &extended, err)
				     : add_event(rows, &event, &extended, err);
		if (status == STATUS_OK)
			status = step(rows, err);
	}
	extended_columns_end(&columns);
	return status == STATUS_END ? STATUS_OK : status;
}

static enum status read_stream(struct rows *rows, struct sched_stream *stream, struct error *err)
{
	struct sched_event event;
	enum status status;

	while ((status = sched_stream_next(stream, &event, err)) == STATUS_OK) {
		status = step(rows, err);
		if (status == STATUS_OK && event.kind == SCHED_SWITCH)
			status = add_event(rows, &event, NULL, err);
		if (status != STATUS_OK)
			return status;
	}
	return status == STATUS_END ? STATUS_OK : status;
}

static enum status read_text(struct rows *rows, struct ftrace_text *text, struct error *err)
{
	struct ftrace_text_switch event;
	enum status status = STATUS_OK;

	while (status == STATUS_OK && ftrace_text_next(text, &event)) {
		status = add_text_event(rows, &event, NULL, err);
		if (status == STATUS_OK)
			status = step(rows, err);
	}
	return status;
}

static void take_stream_findings(struct dataset_trace *trace, const struct sched_stream *stream)
{
	trace->corrected_times = sched_stream_backwards(stream, &trace->max_corrected_ns);
	sched_stream_losses(stream, &trace->run.losses);
}

static enum status take_text_findings(struct dataset_trace *trace, const struct ftrace_text *text, struct error *err)
{
	trace->malformed_lines = text->malformed_lines;
	trace->first_malformed_line = text->first_malformed_line;
	for (size_t i = 0; i < text->loss_count; i++)
		losses_add(&trace->run.losses, &text->losses[i]);
	if (text->overwritten)
		losses_add(&trace->run.losses, &(struct loss){.cpu = LOSS_CPU_UNKNOWN, .events = text->overwritten});
	if (text->switches == 0 && text->other_events == 0 && text->malformed_lines > 0) {
		error_set(err, STATUS_UNSUPPORTED, trace->run.path,
			  "line %llu: not a kernel text trace; expected lines like TASK-PID [CPU] FLAGS SECONDS: EVENT",
			  (unsigned long long)text->first_malformed_line);
		return error_remedy(err, "move it out of the directory of raw traces");
	}
	return STATUS_OK;
}

static void state_text(const void *context, uint64_t prev_state, char *text, size_t size)
{
	sched_source_state_text(context, prev_state, text, size);
}

static enum status read_dat(struct rows *rows, struct error *err)
{
	struct tracedat file;
	struct sched_source *source;
	enum status status = tracedat_parse(rows->file->bytes, rows->file->length, rows->trace->run.path, &file, err);

	if (status != STATUS_OK)
		return status;
	rows->trace->run.losses.incomplete = file.truncated;
	rows->trace->skipped_buffers = file.skipped_buffers;
	rows->trace->followed_only = file.followed_only;
	status = sched_source_open_dat(&file, rows->trace->run.path, &source, err);
	if (status == STATUS_OK) {
		struct sched_stream *stream = sched_source_stream(source);
		rows->writer->state_text = state_text;
		rows->writer->state_context = source;
		status = rows->columns.extended ? read_extended(rows, source, err) : read_stream(rows, stream, err);
		if (status == STATUS_OK)
			take_stream_findings(rows->trace, stream);
		sched_source_close(source);
	}
	tracedat_free(&file);
	return status;
}

static bool is_trace_dat(const struct mapping *file)
{
	return file->length >= TRACEDAT_MAGIC_SIZE && memcmp(file->bytes, TRACEDAT_MAGIC, TRACEDAT_MAGIC_SIZE) == 0;
}

static enum status read_extended_text(struct rows *rows, struct error *err)
{
	struct sched_source *source;
	enum status status = sched_source_open_text((const char *)rows->file->bytes, rows->file->length,
						    rows->trace->run.path, &source, err);

	if (status == STATUS_OK)
		status = read_extended(rows, source, err);
	if (status == STATUS_OK)
		status = take_text_findings(rows->trace, sched_source_text(source), err);
	sched_source_close(source);
	return status;
}

/* The standard columns need only the switches: the text of other events is not parsed. */
static enum status read_standard_text(struct rows *rows, struct error *err)
{
	struct ftrace_text *text = malloc(sizeof(*text));

	if (!text)
		return no_memory(rows, err);
	ftrace_text_open(text, (const char *)rows->file->bytes, rows->file->length);
	enum status status = read_text(rows, text, err);
	if (status == STATUS_OK)
		status = take_text_findings(rows->trace, text, err);
	free(text);
	return status;
}

static enum status read_trace(struct rows *rows, struct error *err)
{
	if (!rows->trace->run.is_text)
		return read_dat(rows, err);
	if (is_trace_dat(rows->file))
		return error_set(err, STATUS_UNSUPPORTED, rows->trace->run.path,
				 "is a trace.dat with the extension of a text trace; rename it to .dat");
	return rows->columns.extended ? read_extended_text(rows, err) : read_standard_text(rows, err);
}

enum status rows_read(struct rows *rows, struct error *err)
{
	rows->trace->events = 0;
	rows->writer = calloc(1, sizeof(*rows->writer));
	if (!rows->writer)
		return no_memory(rows, err);
	rows->writer->layout = rows->columns;
	enum status status =
	    csv_writer_begin(rows->writer, rows->trace->run.workload, rows->trace->run.id, rows->trace->scheduler)
		? read_trace(rows, err)
		: no_memory(rows, err);
	if (status == STATUS_OK && rows->pending.length)
		status = flush(rows, err);
	buffer_free(&rows->pending);
	csv_writer_end(rows->writer);
	free(rows->writer);
	return status;
}
