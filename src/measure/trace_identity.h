/* SPDX-License-Identifier: MIT
 *
 * Tests if a trace is the one that its metadata describe: files of two runs may have been exchanged. */
#ifndef MEASURE_TRACE_IDENTITY_H
#define MEASURE_TRACE_IDENTITY_H

#include "runs/run.h"
#include "trace/pass.h"
#include "trace/quality.h"

/* Facts by which a trace is recognised. */
struct trace_identity {
	const char *uname; /* NULL for a text trace, which cannot be compared */
	uint64_t events;
	bool is_whole; /* events counts all events: the trace is not truncated, and was read completely */
};

/* For the end() of a consumer: the identity of the current trace. */
struct trace_identity trace_identity_of_pass(const struct pass *pass);
/* The identity of a trace, after this many of its events were read. */
struct trace_identity trace_identity_of_source(const struct sched_source *source, uint64_t events, bool is_whole);

/* The finding "metadata": QUALITY_BAD if the metadata of run name another kernel or another number of events. The text
 * says which of these differ, or which were compared. */
void trace_identity_judge(const struct run *run, const struct trace_identity *trace, struct quality_finding *finding);
/* The same for the judge() of a consumer, with the JSON next to the current trace; QUALITY_GOOD if there is no readable
 * JSON. */
void trace_identity_judge_pass(const struct pass *pass, struct quality_finding *finding);
/* STATUS_LOST, with the remedy, if that finding is bad. */
enum status trace_identity_check(const struct run *run, const struct trace_identity *trace, struct error *err);

#endif
