/* SPDX-License-Identifier: MIT
 *
 * The list of workloads and the number of their runs. */
#ifndef RECORD_COLLECTION_PLAN_H
#define RECORD_COLLECTION_PLAN_H

#include "workloads/runner/workload.h"

struct collection_plan {
	const struct workload *const *workloads;
	size_t workload_count;
	unsigned int runs, first_run; /* of each workload, numbered from first_run */
	double scale, duration_s;
	double small;    /* > 0: each workload has this multiple of its small_scale instead of scale */
	bool fixed_work; /* of workload_request */
};

static inline double collection_plan_scale(const struct collection_plan *plan, const struct workload *workload)
{
	/* A command has no size of its own. */
	return plan->small > 0 && workload->small_scale > 0 ? plan->small * workload->small_scale : plan->scale;
}

/* A run of workload number index; the caller fills in cpus and scratch. */
static inline struct workload_request collection_plan_run(const struct collection_plan *plan, size_t index)
{
	return (struct workload_request){
	    .workload = plan->workloads[index],
	    .scale = collection_plan_scale(plan, plan->workloads[index]),
	    .duration_s = plan->duration_s,
	    .fixed_work = plan->fixed_work,
	};
}

#endif
