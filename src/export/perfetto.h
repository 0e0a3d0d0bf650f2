/* SPDX-License-Identifier: MIT
 *
 * A trace.dat as a Perfetto trace: ui.perfetto.dev and trace_processor show it as a scheduler timeline. Streaming:
 * memory does not grow with the trace.
 *
 * Perfetto's time base is the boot clock. The trace does not relate its clock to the boot clock, so both are
 * declared equal; times are those of the trace. Scheduler events do not say which threads belong to a process, so
 * each task is shown as a separate process, with its last name.
 *
 * Perfetto derives waiting times and wakers from sched_waking. If sched_waking was not recorded, each sched_wakeup
 * is also written as a sched_waking. */
#ifndef EXPORT_PERFETTO_H
#define EXPORT_PERFETTO_H

#include <stdint.h>

#include "base/error.h"
#include "base/output_stream.h"
#include "trace/input.h"
#include "trace/stream.h"

struct perfetto_summary {
	uint64_t events;       /* written: switches, wakeups, migrations and marks */
	uint64_t other_events; /* of kinds that are not exported */
	uint64_t tasks;
	uint64_t tasks_left_out; /* occurrences of tasks without a process, because there are too many tasks */
};

/* Writes all events of the stream, that of the input, to sink, which stays open. Returns an error of the stream (a
 * corrupt page after valid ones leaves what was before it in sink) or of sink. *summary is always filled. */
enum status perfetto_write(struct input *input, struct sched_stream *stream, struct output_stream *sink,
			   struct perfetto_summary *summary, struct error *err);

#endif
