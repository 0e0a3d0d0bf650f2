/* SPDX-License-Identifier: MIT
 *
 * The last part of a recording whose full buffers overwrote their oldest events: the time range in which no CPU has
 * missing events. */
#ifndef RECORD_TRACEFS_FLIGHT_H
#define RECORD_TRACEFS_FLIGHT_H

#include "base/error.h"
#include "record/tracefs/session.h"
#include "record/tracefs/spool.h"

struct flight {
	uint64_t start_ns, end_ns; /* range to keep, on the trace clock */
	int short_cpu;             /* CPU whose buffer was too small for the requested range; -1: none */
};

/* After capture_stop() and spool_take_rest(): drops the spooled pages with events before the requested range, or before
 * the time from which every CPU is complete. The range is the seconds before moment_ns (0: before the end) and all
 * after it. start_ns is not before the first event. With a trace clock that does not count nanoseconds, everything is
 * kept (end_ns 0). */
enum status flight_cut(struct spool *spool, double seconds, uint64_t moment_ns, struct flight *flight,
		       struct error *err);
/* Frees the disk space of the spooled pages that end before before_ns. */
enum status flight_forget(struct spool *spool, uint64_t before_ns, struct error *err);

#endif
