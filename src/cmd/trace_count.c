/* SPDX-License-Identifier: MIT */
#include "cmd/trace_count.h"

#include "base/file.h"
#include "format/tracedat.h"
#include "sched/stream.h"

static enum status count(struct sched_stream *stream, uint64_t *events, uint64_t *switches, struct error *err)
{
	struct sched_event event;
	enum status status;

	*events = 0;
	*switches = 0;
	while ((status = sched_stream_next(stream, &event, err)) == STATUS_OK) {
		*events += event.kind != SCHED_LOST;
		*switches += event.kind == SCHED_SWITCH;
	}
	return status == STATUS_END ? STATUS_OK : status;
}

enum status trace_count(const char *path, uint64_t *events, uint64_t *switches, struct error *err)
{
	struct mapping file;
	struct tracedat trace;
	struct sched_stream *stream;
	enum status status = file_map(path, &file, err);

	if (status != STATUS_OK)
		return status;
	status = tracedat_parse(file.bytes, file.length, path, &trace, err);
	if (status == STATUS_OK) {
		status = sched_stream_open(&trace, path, &stream, err);
		if (status == STATUS_OK) {
			status = count(stream, events, switches, err);
			sched_stream_close(stream);
		}
		tracedat_free(&trace);
	}
	file_unmap(&file);
	return status;
}
