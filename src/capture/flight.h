/* SPDX-License-Identifier: MIT
 *
 * The last stretch of a recording whose full buffers forgot their oldest events: from one time on, nothing is missing
 * on any CPU. */
#ifndef CAPTURE_FLIGHT_H
#define CAPTURE_FLIGHT_H

#include "base/error.h"
#include "capture/session.h"
#include "capture/spool.h"

struct flight {
	uint64_t start_ns, end_ns; /* of the trace clock: what is kept */
	int short_cpu;             /* whose buffer could not hold as much as was wanted; -1: none */
};

/* After capture_stop() and spool_take_rest(): leaves out of the spool the pages whose events lie before the wanted
 * stretch, or before the first time from which on every CPU is complete; start_ns is not before the first event. Trace
 * clocks that do not count nanoseconds keep all (end_ns 0). */
enum status flight_cut(struct spool *spool, double seconds, struct flight *flight, struct error *err);

#endif
