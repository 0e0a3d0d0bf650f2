/* SPDX-License-Identifier: MIT */
#include "compare/run_part.h"

#include <math.h>
#include <string.h>

static enum run_part part_of_run(const struct run *run)
{
	if (!run_task_count(run))
		return RUN_PART_WHOLE;
	return (double)run->results->steady.duration_ns * 100 >=
			   (double)run->results->whole.duration_ns * RUN_STEADY_MIN_PERCENT &&
		       run->results->steady.duration_ns
		   ? RUN_PART_STEADY
		   : RUN_PART_TOO_SHORT;
}

enum run_part run_sets_part(const struct run_sets *sets, const char *workload)
{
	enum run_part part = RUN_PART_STEADY;

	for (const struct run *run = NULL; (run = run_sets_next(sets, run));)
		if (run_is_of(run, workload) && part_of_run(run) > part)
			part = part_of_run(run);
	return part;
}

void run_sets_choose_part(struct run_sets *sets, const char *workload)
{
	bool is_steady = run_sets_part(sets, workload) == RUN_PART_STEADY;

	for (const struct run *run = NULL; (run = run_sets_next(sets, run));)
		if (run_is_of(run, workload))
			run->results->is_steady = is_steady;
}

struct run_left_out run_set_left_out(const struct run_set *set, const char *workload)
{
	struct run_left_out sum = {0};
	size_t runs = 0;

	for (size_t i = 0; i < set->count; i++) {
		const struct run *run = &set->runs[i];
		if (!run_is_of(run, workload))
			continue;
		runs++;
		if (!run->results->is_steady)
			continue;
		double start = (double)(run->results->steady.begin_ns - run->results->whole.begin_ns);
		double whole = (double)run->results->whole.duration_ns;
		sum.start += 100 * start / whole;
		sum.end += 100 * (whole - start - (double)run->results->steady.duration_ns) / whole;
	}
	if (runs == 0)
		return (struct run_left_out){NAN, NAN};
	return (struct run_left_out){sum.start / (double)runs, sum.end / (double)runs};
}
