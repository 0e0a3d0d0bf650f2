/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "dataset/rows.h"
#include "format/ftrace_text.h"

static struct csv_text span_text(struct ftrace_span span)
{
	return (struct csv_text){span.bytes, span.length};
}

struct csv_row rows_of_text(const struct ftrace_text_switch *event)
{
	return (struct csv_row){
	    .timestamp = span_text(event->timestamp),
	    .ts_ns = event->ts_ns,
	    .task_name = span_text(event->next_comm),
	    .prev_state = span_text(event->prev_state),
	    .prev_comm = span_text(event->prev_comm),
	    .pid = event->next_pid,
	    .cpu = event->cpu,
	};
}

static enum status add_switches(struct rows *rows, struct ftrace_text *text, struct error *err)
{
	struct ftrace_text_switch event;
	enum status status = STATUS_OK;

	while (status == STATUS_OK && ftrace_text_next(text, &event)) {
		struct csv_row row = rows_of_text(&event);
		status = rows_add(rows, &row, err);
		if (status == STATUS_OK)
			status = rows_step(rows, err);
	}
	return status;
}

static enum status add_extended(struct rows *rows, struct ftrace_text *text, struct error *err)
{
	struct sched_source *source;
	enum status status = sched_source_open_text((const char *)rows->file->bytes, rows->file->length,
						    rows->trace->path, &source, err);

	if (status == STATUS_OK)
		status = rows_add_extended(rows, source, text, err);
	sched_source_close(source);
	return status;
}

static enum status take_findings(struct trace *trace, const struct ftrace_text *text, struct error *err)
{
	bool kept = true;

	trace->malformed_lines = text->malformed_lines;
	trace->first_malformed_line = text->first_malformed_line;
	for (size_t i = 0; i < text->loss_count && kept; i++)
		kept = loss_add(&trace->loss, true, text->losses[i].cpu, text->losses[i].events);
	if (text->overwritten && kept)
		kept = loss_add(&trace->loss, false, 0, text->overwritten);
	if (!kept)
		return error_system(err, ENOMEM, trace->path, "cannot keep the losses");
	if (text->switches == 0 && text->other_events == 0 && text->malformed_lines > 0) {
		error_set(
		    err, STATUS_UNSUPPORTED, trace->path,
		    "line %llu: not a text trace of the kernel, whose lines are TASK-PID [CPU] FLAGS SECONDS: EVENT",
		    (unsigned long long)text->first_malformed_line);
		return error_remedy(err, "move it out of the directory of raw traces");
	}
	return STATUS_OK;
}

/* By its first ten bytes. */
static bool is_trace_dat(const struct mapping *file)
{
	static const uint8_t magic[] = {0x17, 0x08, 0x44, 't', 'r', 'a', 'c', 'i', 'n', 'g'};

	return file->length >= sizeof(magic) && memcmp(file->bytes, magic, sizeof(magic)) == 0;
}

enum status rows_from_text(struct rows *rows, struct error *err)
{
	if (is_trace_dat(rows->file))
		return error_set(err, STATUS_UNSUPPORTED, rows->trace->path,
				 "a trace.dat under a text trace's name; call it .dat");
	struct ftrace_text *text = malloc(sizeof(*text));
	if (!text)
		return error_system(err, ENOMEM, rows->trace->path, "cannot read");
	ftrace_text_open(text, (const char *)rows->file->bytes, rows->file->length);
	enum status status = rows_begin(rows, err);
	if (status == STATUS_OK)
		status = rows->extended ? add_extended(rows, text, err) : add_switches(rows, text, err);
	if (status == STATUS_OK)
		status = take_findings(rows->trace, text, err);
	free(text);
	return rows_end(rows, status, err);
}
