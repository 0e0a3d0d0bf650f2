/* SPDX-License-Identifier: MIT
 *
 * The lost events of a finished recording: how many, on which CPUs, and between which times. */
#ifndef RECORD_TRACE_LOSSES_H
#define RECORD_TRACE_LOSSES_H

#include <stdint.h>

#include "record/tracefs/session.h"
#include "record/tracefs/spool.h"
#include "trace/trace_survey.h"

/* For a stopped session after its readout. spool: the one that read it out, or NULL if it was read out only at the end;
 * survey then shows when each buffer was full. Events that a flight recording overwrote are not lost. Free them with
 * losses_free(). */
void trace_losses_find(const struct capture_session *session, struct spool *spool, const struct trace_survey *survey,
		       struct losses *losses);

/* Events that the kernel recorded, on all CPUs of a stopped session. */
uint64_t trace_recorded_events(const struct capture_session *session);

#endif
