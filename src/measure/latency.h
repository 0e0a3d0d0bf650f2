/* SPDX-License-Identifier: MIT
 *
 * How long tasks waited for a CPU after wakeups and preemptions, per task, name or CPU, and in all. Pure. */
#ifndef MEASURE_LATENCY_H
#define MEASURE_LATENCY_H

#include "measure/group_by.h"
#include "measure/wait_account.h"

struct latency_account {
	struct wait_account waits[WAIT_KINDS];
};

#define LATENCY_OCTAVES 45 /* below 1 us, then powers of two up to 2^44 us, half a year */

struct latency {
	struct groups groups;
	uint64_t octaves[WAIT_KINDS][LATENCY_OCTAVES], counts[WAIT_KINDS];
	uint64_t unknown[WAIT_KINDS]; /* struct wait_account */
};

void latency_begin(struct latency *latency, const struct group_options *options);
/* What fills it in a pass. */
struct pass_consumer latency_consumer(struct latency *latency);
void latency_free(struct latency *latency);

#endif
