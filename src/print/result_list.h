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

size_t compare_result_count(const struct compare_output *output);
void compare_result_at(const struct compare_output *output, size_t at, struct compare_result *result);

#endif
