/* SPDX-License-Identifier: MIT
 *
 * The results of picknext overhead. */
#ifndef CMD_OVERHEAD_REPORT_H
#define CMD_OVERHEAD_REPORT_H

#include "base/buffer.h"
#include "compare/paired.h"
#include "record/collection.h"

struct overhead_run {
	struct workload_result result;
	uint64_t events;     /* recorded; 0 untraced */
	double tracer_cpu_s; /* CPU time of picknext itself while the workload ran */
};

/* One run of each kind; the order changes from round to round. */
struct overhead_round {
	struct overhead_run untraced, traced;
};

struct overhead {
	const struct collection_request *request;
	struct overhead_round *rounds;
	size_t count;
	/* Filled by overhead_compute(). */
	struct estimate throughput;   /* traced to untraced */
	struct estimate ns_per_event; /* CPU time of the workload */
	double tracer_ns_per_event;
	uint64_t events;
};

/* STATUS_USAGE if a round recorded no events or did no work. */
enum status overhead_compute(struct overhead *overhead, struct error *err);
void overhead_write_text(const struct overhead *overhead, struct buffer *out);
void overhead_write_json(const struct overhead *overhead, struct buffer *out);

#endif
