/* SPDX-License-Identifier: MIT
 *
 * How long the rest of a collection will take, from what its runs took so far. Pure. */
#ifndef RECORD_TIME_LEFT_H
#define RECORD_TIME_LEFT_H

#include <stddef.h>

#include "record/collection_plan.h"

struct time_left {
	double measured_s[64];     /* of each workload of the plan; 0: not measured yet */
	double seconds_per_weight; /* of workloads with a fixed amount of work; 0: not known yet */
};

/* A run of workload number index took this long, with set-up and saving. */
void time_left_learn(struct time_left *left, const struct collection_plan *plan, size_t index, double seconds);
/* From run `run` of workload number index on, which began elapsed_s ago; < 0: not known yet. */
double time_left_estimate(const struct time_left *left, const struct collection_plan *plan, size_t index,
			  unsigned int run, double elapsed_s);

#endif
