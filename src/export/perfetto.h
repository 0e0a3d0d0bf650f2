/* SPDX-License-Identifier: MIT
 *
 * trace.dat files as one Perfetto trace: ui.perfetto.dev and trace_processor show it as a scheduler timeline.
 * Streaming: memory does not grow with the trace.
 *
 * Perfetto's time base is the boot clock. The trace does not relate its clock to the boot clock, so both are
 * declared equal; times are those of the trace. Scheduler events do not say which threads belong to a process, so
 * each task is shown as a separate process, with its last name.
 *
 * Perfetto derives waiting times and wakers from sched_waking. If sched_waking was not recorded, each sched_wakeup
 * is also written as a sched_waking.
 *
 * A trace with keys has tracks of them (perfetto_keys.h). Several traces are a group each, a process of Perfetto with
 * all of its tasks as threads, named by their roles; PIDs and CPUs of later traces are other numbers. */
#ifndef EXPORT_PERFETTO_H
#define EXPORT_PERFETTO_H

#include <stdint.h>

#include "base/error.h"
#include "base/output_stream.h"
#include "trace/input.h"
#include "trace/stream.h"

struct perfetto_summary {
	uint64_t events;       /* number of written events: switches, wakeups, migrations and marks */
	uint64_t other_events; /* number of events of kinds that are not exported, those of keys included */
	uint64_t tasks;
	uint64_t tasks_left_out; /* occurrences of tasks without a process, because there are too many tasks */
	bool has_keys;
};

#define PERFETTO_TRACES_MAX 16

/* One trace among several. */
struct perfetto_label {
	const char *label;
	uint64_t shift_ns; /* is added to its times, modulo 2^64 */
	const char *mark;  /* text of a mark that is added at mark_ns, a time of the trace; NULL: none */
	uint64_t mark_ns;
};

struct perfetto_request {
	struct input *inputs;                /* of kind INPUT_DAT, open */
	const struct perfetto_label *labels; /* of each; NULL: there is only one */
	size_t count;                        /* up to PERFETTO_TRACES_MAX */
	bool without_keys;
	/* After the last event of each; may be NULL. */
	void (*report)(const struct input *input, const struct sched_stream *stream,
		       const struct perfetto_summary *summary);
};

/* Writes all events to sink, which stays open. Returns an error of a trace (if a page is corrupt, sink has the events
 * before it) or of sink. */
enum status perfetto_write(const struct perfetto_request *request, struct output_stream *sink, struct error *err);

#endif
