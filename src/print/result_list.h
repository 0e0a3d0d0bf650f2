/* SPDX-License-Identifier: MIT
 *
 * A comparison as a list of results, for the formats of CI systems: each gate at each workload of each later set;
 * without gates, each exercised metric of each workload. */
#ifndef PRINT_RESULT_LIST_H
#define PRINT_RESULT_LIST_H

#include "compare/comparison_text.h"

enum compare_outcome { PASSED, FAILED, INCONCLUSIVE, SKIPPED, COMPARE_OUTCOMES };

struct compare_result {
	const struct comparison_row *row;
	const struct gate_case *gate;             /* NULL: a metric */
	size_t set;                               /* the set that is compared with the first one */
	char name[1400], suite[512], reason[256]; /* suite: the workload; all texts are one harmless line */
	char repeat[4096];                        /* a command that repeats the result, or "" */
	enum compare_outcome outcome;
};

#define COMPARE_ALL_WORKLOADS SIZE_MAX

/* The next result of a workload, or of all workloads; *at starts as 0. False after the last one. */
bool compare_next_result(const struct compare_output *output, size_t workload, size_t *at,
			 struct compare_result *result);
/* The number of results of a workload, or of all workloads, and of those with each outcome. */
size_t compare_count_results(const struct compare_output *output, size_t workload, size_t outcomes[COMPARE_OUTCOMES]);

#endif
