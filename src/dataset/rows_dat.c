/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "dataset/rows.h"
#include "format/tracedat_read.h"
#include "sched/stream.h"

#define KNOWN 128u

/* The fields of tasks that switched in, and of tasks that left, so that what recurs is made once: a name with a pid, or
 * with a state. fields.length 0: nothing is known here. */
struct known_fields {
	uint64_t number;
	struct sched_comm comm;
	struct csv_fields fields;
};

struct known {
	const struct sched_stream *stream;
	struct known_fields tasks[KNOWN], left[KNOWN];
};

static bool is_known(struct known_fields *known, uint64_t number, const struct sched_comm *comm)
{
	_Static_assert(sizeof(*comm) == 17 && sizeof(comm->bytes) == 16, "two words and the length");
	if (known->number == number && memcmp(known->comm.bytes, comm->bytes, 8) == 0 &&
	    memcmp(known->comm.bytes + 8, comm->bytes + 8, 8) == 0 && known->comm.length == comm->length)
		return known->fields.length > 0;
	known->number = number;
	known->comm = *comm;
	return false;
}

static struct csv_text comm_text(const struct sched_comm *comm)
{
	return (struct csv_text){comm->bytes, comm->length};
}

static const struct csv_fields *task_fields(struct known *known, const struct sched_task *task)
{
	struct known_fields *fields = &known->tasks[(uint32_t)task->pid % KNOWN];

	if (!is_known(fields, (uint32_t)task->pid, &task->comm))
		csv_make_task(&fields->fields, comm_text(&task->comm), task->pid);
	return &fields->fields;
}

static const struct csv_fields *left_fields(struct known *known, const struct sched_task *task, uint64_t state)
{
	struct known_fields *fields = &known->left[((uint32_t)task->pid ^ (uint32_t)state << 3) % KNOWN];
	char text[32];

	if (!is_known(fields, state, &task->comm)) {
		sched_state_text(known->stream, state, text, sizeof(text));
		csv_make_left(&fields->fields, (struct csv_text){text, strlen(text)}, comm_text(&task->comm));
	}
	return &fields->fields;
}

static enum status add_switches(struct rows *rows, struct sched_stream *stream, struct known *known, struct error *err)
{
	struct sched_event event;
	struct csv_row row = {.ts_ns = 0};
	enum status status;

	while ((status = sched_stream_next(stream, &event, err)) == STATUS_OK) {
		status = rows_step(rows, err);
		if (status != STATUS_OK)
			return status;
		if (event.kind != SCHED_SWITCH)
			continue;
		row.ts_ns = event.ts_ns;
		row.cpu = event.cpu;
		row.task = task_fields(known, &event.switched.next);
		row.left = left_fields(known, &event.switched.prev, event.switched.prev_state);
		status = rows_add(rows, &row, err);
		if (status != STATUS_OK)
			return status;
	}
	return status == STATUS_END ? STATUS_OK : status;
}

static enum status take_findings(struct trace *trace, const struct sched_stream *stream, struct error *err)
{
	struct sched_loss *losses = calloc(LOSS_CPUS_MAX, sizeof(*losses));
	bool kept = losses != NULL;

	trace->corrected_times = sched_stream_backwards(stream, &trace->most_corrected_ns);
	size_t count = kept ? sched_stream_losses(stream, losses, LOSS_CPUS_MAX) : 0;
	for (size_t i = 0; kept && i < count && i < LOSS_CPUS_MAX; i++)
		kept = loss_add_places(&trace->loss, &(struct loss_cpu){.cpu = losses[i].cpu,
									.events = losses[i].events,
									.places = losses[i].ranges,
									.after_ns = losses[i].after_ns,
									.before_ns = losses[i].before_ns});
	free(losses);
	return kept ? STATUS_OK : error_system(err, ENOMEM, trace->path, "cannot keep the losses");
}

static enum status read_extended(struct rows *rows, const struct tracedat *file, struct error *err)
{
	struct sched_source *source;
	enum status status = sched_source_open_dat(file, rows->trace->path, &source, err);

	if (status != STATUS_OK)
		return status;
	status = rows_add_extended(rows, source, NULL, err);
	if (status == STATUS_OK)
		status = take_findings(rows->trace, sched_source_stream(source), err);
	sched_source_close(source);
	return status;
}

static enum status read_stream(struct rows *rows, const struct tracedat *file, struct error *err)
{
	struct sched_stream *stream;
	enum status status = sched_stream_open(file, rows->trace->path, &stream, err);

	if (status != STATUS_OK)
		return status;
	struct known *known = calloc(1, sizeof(*known));
	if (known) {
		known->stream = stream;
		status = add_switches(rows, stream, known, err);
	} else {
		status = error_system(err, ENOMEM, rows->trace->path, "cannot read");
	}
	if (status == STATUS_OK)
		status = take_findings(rows->trace, stream, err);
	free(known);
	sched_stream_close(stream);
	return status;
}

enum status rows_from_dat(struct rows *rows, struct error *err)
{
	struct tracedat file;
	enum status status = tracedat_parse(rows->file->bytes, rows->file->length, rows->trace->path, &file, err);

	if (status != STATUS_OK)
		return status;
	rows->trace->loss.incomplete = file.truncated;
	rows->trace->skipped_buffers = file.skipped_buffers;
	status = rows_begin(rows, err);
	if (status == STATUS_OK)
		status = rows->extended ? read_extended(rows, &file, err) : read_stream(rows, &file, err);
	tracedat_free(&file);
	return rows_end(rows, status, err);
}
