/* SPDX-License-Identifier: MIT
 *
 * The cost of tracing for a workload: pairs of a traced and an untraced run, and the estimates from them. */
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
	bool has_keys; /* keys were recorded too */
};

/* Runs the workload of request: one traced run for warm-up, then rounds pairs of runs, whose order alternates.
 * STATUS_LOST if events were lost; STATUS_USAGE if a round recorded no events or did no work. The caller has called
 * interrupt_catch(). */
enum status overhead_measure(struct overhead *overhead, uint64_t rounds, struct error *err);
void overhead_free(struct overhead *overhead);
/* Adds the runs and estimates as a table. It is not a struct table, because record must not use term, and the number of
 * digits depends on the values. */
void overhead_add_text(const struct overhead *overhead, struct buffer *out);
void overhead_write_json(const struct overhead *overhead, struct buffer *out);

#endif
