/* SPDX-License-Identifier: MIT */
#include "record/time_left.h"

/* Settling before each run, pausing and saving after it. */
static const double overhead_s = 1.5;

/* Fixed work grows with the loops, and with the groups of hackbench. */
static double run_weight(const struct collection_plan *plan, size_t index)
{
	struct workload_request run = collection_plan_run(plan, index);
	unsigned int groups = run.workload->groups;

	return (double)workload_effective_loops(&run) * (groups ? groups : 1);
}

void time_left_learn(struct time_left *left, const struct collection_plan *plan, size_t index, double seconds)
{
	left->measured_s[index] = seconds;
	double amount = run_weight(plan, index);
	if (amount > 0 && seconds > overhead_s)
		left->seconds_per_weight = (seconds - overhead_s) / amount;
}

static double run_seconds(const struct time_left *left, const struct collection_plan *plan, size_t index)
{
	struct workload_request run = collection_plan_run(plan, index);

	if (left->measured_s[index] > 0)
		return left->measured_s[index];
	double duration_s = workload_effective_duration_s(&run);
	if (duration_s > 0)
		return duration_s + overhead_s;
	if (left->seconds_per_weight > 0)
		return run_weight(plan, index) * left->seconds_per_weight + overhead_s;
	return -1;
}

double time_left_estimate(const struct time_left *left, const struct collection_plan *plan, size_t index,
			  unsigned int run, double elapsed_s)
{
	double sum = -elapsed_s;

	for (size_t i = index; i < plan->workload_count; i++) {
		double each = run_seconds(left, plan, i);
		if (each < 0)
			return -1;
		sum += each * (plan->runs - (i == index ? run : 0));
	}
	return sum > 0 ? sum : 0;
}
