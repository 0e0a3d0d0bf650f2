/* SPDX-License-Identifier: MIT
 *
 * The scheduler tunables and features in the metadata of sets of runs. The preemption mode is not one of them; it is a
 * fact of its own (compare/run_facts.h). */
#ifndef COMPARE_RUN_TUNABLES_H
#define COMPARE_RUN_TUNABLES_H

#include "base/buffer.h"
#include "compare/run_set.h"

/* Adds "base_slice_ns=1400000 NO_RUN_TO_PARITY" for a set: those that every run of all sets has and that are not equal
 * everywhere. */
void run_set_add_tunables(const struct run_sets *sets, size_t set, struct buffer *out);
/* True if the slices of tasks are set differently, and are shorter than a tick in all sets, at which the kernel ends
 * them (without the feature HRTICK). */
bool run_sets_tick_decides(const struct run_sets *sets);

#endif
