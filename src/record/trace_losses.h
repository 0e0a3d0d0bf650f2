/* SPDX-License-Identifier: MIT
 *
 * The lost events of a finished recording: how many, on which CPUs, and between which times. */
#ifndef RECORD_TRACE_LOSSES_H
#define RECORD_TRACE_LOSSES_H

#include <stdint.h>

#include "record/tracefs/session.h"
#include "record/tracefs/spool.h"
#include "trace/trace_survey.h"

struct trace_losses {
	uint64_t events;
	struct loss_log log;
	char where[640]; /* "12 on CPU 0, 3 on CPU 2, first between 8.100000 and 8.200000 s"; "" without losses */
};

/* For a stopped session after its readout. spool: the one that read it out, or NULL if it was read out only at the end;
 * survey then shows when each buffer was full. Events that a flight recording overwrote are not lost. */
void trace_losses_find(const struct capture_session *session, struct spool *spool, const struct trace_survey *survey,
		       struct trace_losses *losses);
void trace_losses_free(struct trace_losses *losses);

/* Events that the kernel recorded, on all CPUs of a stopped session. */
uint64_t trace_recorded_events(const struct capture_session *session);

#endif
