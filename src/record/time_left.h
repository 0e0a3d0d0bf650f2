/* SPDX-License-Identifier: MIT
 *
 * Estimates the remaining time of a collection from the time of its finished runs. Pure. */
#ifndef RECORD_TIME_LEFT_H
#define RECORD_TIME_LEFT_H

#include <stddef.h>

#include "record/collection_plan.h"

struct time_left {
	double measured_s[64];     /* of each workload of the plan; 0: not measured yet */
	double seconds_per_weight; /* of workloads with a fixed amount of work; 0: not known yet */
};

/* Adds the measured time, with set-up and saving, of a run of workload number index. */
void time_left_learn(struct time_left *left, const struct collection_plan *plan, size_t index, double seconds);
/* The remaining time from run `run` of workload number index on, which began elapsed_s ago; < 0: not known yet. */
double time_left_estimate(const struct time_left *left, const struct collection_plan *plan, size_t index,
			  unsigned int run, double elapsed_s);

#endif
