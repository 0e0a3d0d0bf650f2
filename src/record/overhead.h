/* SPDX-License-Identifier: MIT
 *
 * What tracing costs a workload: pairs of a traced and an untraced run, and the estimates from them. */
#ifndef RECORD_OVERHEAD_H
#define RECORD_OVERHEAD_H

#include "base/buffer.h"
#include "record/collection.h"
#include "record/estimate.h"

struct overhead_run {
	struct workload_result result;
	uint64_t events;     /* recorded; 0 untraced */
	double tracer_cpu_s; /* CPU time of picknext itself while the workload ran */
};

/* One run of each kind. */
struct overhead_round {
	struct overhead_run untraced, traced;
};

struct overhead {
	const struct collection_request *request;
	struct overhead_round *rounds;
	size_t count;
	/* Filled by overhead_measure(). */
	struct estimate throughput;   /* traced to untraced */
	struct estimate ns_per_event; /* CPU time of the workload */
	double tracer_ns_per_event;
	uint64_t events;
	bool has_keys; /* recorded too */
};

/* Runs the workload of request: one run that is not counted, then so many rounds; the order of the two runs
 * changes from round to round. STATUS_LOST if events were lost; STATUS_USAGE if a round recorded no events or did no
 * work. The caller has done interrupt_catch(). */
enum status overhead_measure(struct overhead *overhead, uint64_t rounds, struct error *err);
void overhead_free(struct overhead *overhead);
/* A table of both kinds of runs and the estimates. It is not a struct table: record does not use term, and the number
 * of digits follows from the size of the values. */
void overhead_add_text(const struct overhead *overhead, struct buffer *out);
void overhead_write_json(const struct overhead *overhead, struct buffer *out);

#endif
