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
	bool fixed_work; /* of workload_request */
};

/* A run of workload number index; the caller fills in cpus and scratch. */
static inline struct workload_request collection_plan_run(const struct collection_plan *plan, size_t index)
{
	return (struct workload_request){
	    .workload = plan->workloads[index],
	    .scale = plan->scale,
	    .duration_s = plan->duration_s,
	    .fixed_work = plan->fixed_work,
	};
}

#endif
