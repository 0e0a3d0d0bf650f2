/* SPDX-License-Identifier: MIT
 *
 * What is set otherwise in the scheduler of one kernel: how a run before differs from one after. Kernels that differ
 * have other tunables anyway. */
#ifndef COMPARE_TUNABLE_DIFFERENCES_H
#define COMPARE_TUNABLE_DIFFERENCES_H

#include "base/buffer.h"
#include "compare/run_set.h"

/* Whether all runs of all sets are of the same build of a kernel, as they say. */
bool run_sets_same_kernel(const struct run_sets *sets);

/* "base_slice_ns=1400000 NO_RUN_TO_PARITY" of a set: what every run of all sets has, and not all have alike; "" where
 * there is nothing. Of the mode of preemption nothing, which is a fact of its own. */
void run_set_tunables(const struct run_sets *sets, size_t set, struct buffer *out);

#endif
