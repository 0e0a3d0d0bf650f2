/* SPDX-License-Identifier: MIT
 *
 * The last stretch of a recording whose full buffers overwrote their oldest events: from one time on, no CPU misses
 * an event. */
#ifndef CAPTURE_FLIGHT_H
#define CAPTURE_FLIGHT_H

#include "base/error.h"
#include "capture/session.h"
#include "capture/spool.h"

struct flight {
	uint64_t start_ns, end_ns; /* of the trace clock: what is kept */
	int short_cpu;             /* whose buffer was too small for the wanted stretch; -1: none */
};

/* After capture_stop() and spool_take_rest(): drops the spooled pages whose events lie before the wanted stretch, or
 * before the time from which on every CPU is complete; start_ns is not before the first event. Trace
 * clocks that do not count nanoseconds keep all (end_ns 0). */
enum status flight_cut(struct spool *spool, double seconds, struct flight *flight, struct error *err);

#endif
