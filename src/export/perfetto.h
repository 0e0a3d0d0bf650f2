/* SPDX-License-Identifier: MIT
 *
 * A trace.dat as a Perfetto trace: what ui.perfetto.dev and trace_processor show as a scheduler timeline. Streaming:
 * memory does not grow with the trace.
 *
 * Perfetto counts time by the boot clock. The trace does not relate its own clock to that one, so both are
 * declared to be equal; times are the trace's own. Nor do the scheduler's events say which threads make a process:
 * each task is shown as a process of its own, under the name that it had last.
 *
 * That a task waits to run, and who woke it, Perfetto takes from sched_waking. Where that was not recorded, each
 * sched_wakeup is written as a sched_waking too. */
#ifndef EXPORT_PERFETTO_H
#define EXPORT_PERFETTO_H

#include <stdint.h>

#include "base/error.h"
#include "base/sink.h"
#include "export/pause.h"
#include "format/tracedat.h"
#include "sched/stream.h"

struct perfetto_summary {
	uint64_t events;       /* written: switches, wakeups, migrations and marks */
	uint64_t other_events; /* of kinds that are left out */
	uint64_t tasks;
	uint64_t tasks_left_out; /* sightings of tasks that got no process, because there are too many */
};

enum status perfetto_write(const struct tracedat *trace, struct sched_stream *stream, const struct export_pause *pause,
			   struct sink *sink, struct perfetto_summary *summary, struct error *err);

#endif
