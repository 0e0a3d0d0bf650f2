/* SPDX-License-Identifier: MIT
 *
 * Runs of deterministic guests with the same seed in two sets: they are the same up to the first decision that differs.
 * A workload whose traces are the same event for event at each seed (times, CPUs, every byte:
 * measure/exact_difference.h) is not affected by what differs between the sets. Of the others the earliest difference
 * is found, switch by switch as picknext diff does. */
#ifndef COMPARE_RUN_PAIRS_H
#define COMPARE_RUN_PAIRS_H

#include "compare/run_set.h"
#include "measure/trace_diff.h"

/* The pairs of a workload of a set with the first one. */
struct run_pairs {
	const char *workload;
	size_t set;
	size_t count, identical;
	/* The pair whose switches diverge first, after equal ones or at a pick; runs[0] NULL: none does, or it is not
	 * known. */
	const struct run *runs[2];
	uint64_t since_ns; /* the first event of a trace, in the one where it is earlier */
	uint32_t cpu;
	char words[2]
		  [sizeof(((struct diff_divergence *)0)->words[0])]; /* the switches that differ; "": the trace ends */
};

/* Finds sets->pairs. Nothing if not all runs are of deterministic guests. Traces that cannot be read are no pairs. */
void run_sets_pair(struct run_sets *sets);
/* True if all runs of the workload in a set and in the first one are pairs, and identical: runs has their numbers. */
bool run_sets_not_affected(const struct run_sets *sets, const char *workload, size_t set, const size_t *runs);

#endif
