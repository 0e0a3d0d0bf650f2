/* SPDX-License-Identifier: MIT
 *
 * The lost events of a finished recording: how many, on which CPUs, and between which times. */
#ifndef RECORD_TRACE_LOSSES_H
#define RECORD_TRACE_LOSSES_H

#include <stdint.h>

#include "capture/session.h"
#include "capture/spool.h"
#include "sched/trace_survey.h"

struct trace_losses {
	uint64_t events;
	struct loss_log log;
	char where[640]; /* "12 on CPU 0, 3 on CPU 2, first between 8.100000 and 8.200000 s"; "" without losses */
};

/* Of a stopped session, after its readout: spool is the one that read it out, NULL if that was done only at the end;
 * then survey shows when each buffer was full. What a flight recording overwrote is not lost. */
void trace_losses_find(const struct capture_session *session, struct spool *spool, const struct trace_survey *survey,
		       struct trace_losses *losses);
void trace_losses_free(struct trace_losses *losses);

/* Events that the kernel recorded, on all CPUs of a stopped session. */
uint64_t trace_recorded_events(const struct capture_session *session);

#endif
