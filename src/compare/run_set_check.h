/* SPDX-License-Identifier: MIT
 *
 * Sets of runs that are refused before their traces are read. */
#ifndef COMPARE_RUN_SET_CHECK_H
#define COMPARE_RUN_SET_CHECK_H

#include "compare/run_set.h"

/* STATUS_USAGE if a pattern of workloads matches no run, a run counts twice, no workload is also in the first set, or
 * runs of one workload have other commands, or a run failed; options->allowed has those that are not refused. */
enum status run_sets_check(const struct run_sets *sets, const struct run_set_options *options, struct error *err);

#endif
