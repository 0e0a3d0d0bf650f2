/* SPDX-License-Identifier: MIT
 *
 * Whether a trace is the one that its metadata describe. Files of two runs may have been exchanged. */
#ifndef MEASURE_TRACE_IDENTITY_H
#define MEASURE_TRACE_IDENTITY_H

#include "runs/run.h"
#include "trace/pass.h"
#include "trace/quality.h"

/* What is known of a trace. */
struct trace_identity {
	const char *uname; /* NULL: of a text trace, of which nothing can be compared */
	uint64_t events;
	bool is_whole; /* these are all that it has: it is not cut, nor read in part */
};

/* For the end() of a consumer: of the current trace. */
struct trace_identity trace_identity_of_pass(const struct pass *pass);
/* Of a trace of which so many events were read. */
struct trace_identity trace_identity_of_source(const struct sched_source *source, uint64_t events, bool is_whole);

/* The finding "metadata": QUALITY_BAD if the metadata of run name another kernel, or another number of events; its text
 * says which of these differ, or which were compared. */
void trace_identity_judge(const struct run *run, const struct trace_identity *trace, struct quality_finding *finding);
/* The same for the judge() of a consumer, with the JSON beside the current trace; without one that can be read, nothing
 * speaks against the trace. */
void trace_identity_judge_pass(const struct pass *pass, struct quality_finding *finding);
/* STATUS_LOST, with the remedy, if that is bad. */
enum status trace_identity_check(const struct run *run, const struct trace_identity *trace, struct error *err);

#endif
