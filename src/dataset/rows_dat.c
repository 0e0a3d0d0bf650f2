/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "dataset/rows.h"
#include "format/tracedat.h"
#include "sched/stream.h"

#define KNOWN_STATES 64

/* Texts of the states that have occurred, so that each is rendered once. */
struct state_texts {
	const struct sched_stream *stream;
	struct {
		bool used;
		uint64_t state;
		char text[32];
		size_t length;
	} known[KNOWN_STATES];
};

static struct csv_text state_text(struct state_texts *states, uint64_t state)
{
	size_t i = (state ^ state >> 6 ^ state >> 12) % KNOWN_STATES;

	if (!states->known[i].used || states->known[i].state != state) {
		states->known[i].used = true;
		states->known[i].state = state;
		sched_state_text(states->stream, state, states->known[i].text, sizeof(states->known[i].text));
		states->known[i].length = strlen(states->known[i].text);
	}
	return (struct csv_text){states->known[i].text, states->known[i].length};
}

static struct csv_text comm_text(const struct sched_comm *comm)
{
	return (struct csv_text){comm->bytes, comm->length};
}

static enum status add_switches(struct rows *rows, struct sched_stream *stream, struct state_texts *states,
				struct error *err)
{
	struct sched_event event;
	enum status status;

	while ((status = sched_stream_next(stream, &event, err)) == STATUS_OK) {
		status = rows_step(rows, err);
		if (status != STATUS_OK)
			return status;
		if (event.kind != SCHED_SWITCH)
			continue;
		struct csv_row row = {
		    .ts_ns = event.ts_ns,
		    .task_name = comm_text(&event.switched.next.comm),
		    .prev_state = state_text(states, event.switched.prev_state),
		    .prev_comm = comm_text(&event.switched.prev.comm),
		    .pid = event.switched.next.pid,
		    .cpu = event.cpu,
		};
		status = rows_add(rows, &row, err);
		if (status != STATUS_OK)
			return status;
	}
	return status == STATUS_END ? STATUS_OK : status;
}

static enum status take_findings(struct trace *trace, const struct sched_stream *stream, struct error *err)
{
	struct sched_loss *losses = calloc(LOSS_MOST_CPUS, sizeof(*losses));
	bool kept = losses != NULL;

	trace->corrected_times = sched_stream_backwards(stream, &trace->most_corrected_ns);
	size_t count = kept ? sched_stream_losses(stream, losses, LOSS_MOST_CPUS) : 0;
	kept = kept && loss_add_told(&trace->loss, losses, count < LOSS_MOST_CPUS ? count : LOSS_MOST_CPUS);
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
	struct state_texts *states = calloc(1, sizeof(*states));
	if (states) {
		states->stream = stream;
		status = add_switches(rows, stream, states, err);
	} else {
		status = error_system(err, ENOMEM, rows->trace->path, "cannot read");
	}
	if (status == STATUS_OK)
		status = take_findings(rows->trace, stream, err);
	free(states);
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
