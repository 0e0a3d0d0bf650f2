/* SPDX-License-Identifier: MIT
 *
 * The driver's look at what it reads: fills analysis.trace, for trace/quality.h to judge. */
#ifndef TRACE_PASS_QUALITY_H
#define TRACE_PASS_QUALITY_H

#include "trace/pass.h"

void trace_quality_begin(struct analysis *analysis);
/* Before the machine takes the event. */
void trace_quality_step(struct analysis *analysis, const struct sched_event *event);
/* Before the machine ends the CPUs, and after; the second judges the run. */
void trace_quality_end_window(struct analysis *analysis, bool is_truncated);
void trace_quality_end(struct analysis *analysis);

#endif
