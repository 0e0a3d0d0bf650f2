/* SPDX-License-Identifier: MIT
 *
 * Runs that would count more than once. */
#ifndef COMPARE_RUN_COPIES_H
#define COMPARE_RUN_COPIES_H

#include <stddef.h>

#include "base/error.h"
#include "runs/run.h"

/* STATUS_USAGE if two of the runs of a set are of one workload and have the same bytes: they would count as
 * independent. Different sets may have the same bytes: deterministic guests repeat a seed. */
enum status run_copies_refuse(const struct run *all, size_t all_count, struct error *err);

#endif
