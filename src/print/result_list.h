/* SPDX-License-Identifier: MIT
 *
 * A comparison as a list of results, for the formats of CI systems: each gate at each workload of each later set, or
 * without gates each metric of each workload that is exercised. */
#ifndef PRINT_RESULT_LIST_H
#define PRINT_RESULT_LIST_H

#include "compare/comparison_text.h"

enum compare_outcome { PASSED, FAILED, INCONCLUSIVE, SKIPPED, COMPARE_OUTCOMES };

struct compare_result {
	const struct comparison_row *row;
	const struct gate_case *gate;             /* NULL: a metric */
	size_t set;                               /* compared with the first one */
	char name[1400], suite[512], reason[256]; /* suite: the workload; all on one harmless line */
	char repeat[4096];                        /* a command, or "" */
	enum compare_outcome outcome;
};

#define COMPARE_ALL_WORKLOADS SIZE_MAX

/* The next result of a workload, or of all; *at starts as 0. False after the last. */
bool compare_next_result(const struct compare_output *output, size_t workload, size_t *at,
			 struct compare_result *result);
/* Number of results of a workload, or of all, and how many have each outcome. */
size_t compare_count_results(const struct compare_output *output, size_t workload, size_t outcomes[COMPARE_OUTCOMES]);

#endif
