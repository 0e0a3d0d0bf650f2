/* SPDX-License-Identifier: MIT
 *
 * Runs that would count more than once. */
#ifndef COMPARE_RUN_COPIES_H
#define COMPARE_RUN_COPIES_H

#include "compare/run_set.h"

/* STATUS_USAGE if two runs are the same file, or if two runs of one workload of one set have the same bytes: they would
 * count as independent. Different sets may have the same bytes: deterministic guests repeat a seed. */
enum status run_copies_refuse(const struct run_sets *sets, struct error *err);

#endif
