/* SPDX-License-Identifier: MIT
 *
 * The part of its runs from which the metrics of a workload are taken: the steady part (compare/run_metrics.h) of all
 * runs of all sets, or all of every run if one of them has no steady part of RUN_STEADY_MIN_PERCENT of its time. So a
 * steady part is never compared with a whole run. Throughput is always that of the whole run. Pure. */
#ifndef COMPARE_RUN_PART_H
#define COMPARE_RUN_PART_H

#include "compare/run_set.h"

#define RUN_STEADY_MIN_PERCENT 10

enum run_part {
	RUN_PART_STEADY,
	RUN_PART_WHOLE,     /* the number of the workload's tasks is unknown, as of a command: its tasks come and go */
	RUN_PART_TOO_SHORT, /* whole: the steady part of a run is too short, or does not exist */
};

/* Chooses the part of all runs of the workload, whose traces have been read. */
void run_sets_choose_part(struct run_sets *sets, const char *workload);
/* The part of the workload in all sets. */
enum run_part run_sets_part(const struct run_sets *sets, const char *workload);

/* Share of time, in percent, that is left out at the start and end of the runs of a workload: means over its runs. 0
 * if none is left out, NaN without runs. */
struct run_left_out {
	double start, end;
};

struct run_left_out run_set_left_out(const struct run_set *set, const char *workload);

#endif
