/* SPDX-License-Identifier: MIT
 *
 * How sets of runs differ in how and where they were made. */
#ifndef COMPARE_RUN_FACTS_H
#define COMPARE_RUN_FACTS_H

#include "base/buffer.h"
#include "compare/run_set.h"

/* The values of a fact within a set, each once, separated by ", ", ending in "..." if text is too small; "unknown" if
 * no run has it. workload: only its runs; NULL: all. */
void run_set_fact(const struct run_set *set, const char *workload, enum environment_fact fact, char *text, size_t size);
/* Whether any of its traces has metadata. */
bool run_set_has_metadata(const struct run_set *set);
/* Whether the sets differ in a fact. If it matters, a set that has metadata without it differs from one that has it. */
bool run_sets_differ(const struct run_sets *sets, enum environment_fact fact);

/* Whether all runs have metadata that name the same build of a kernel. */
bool run_sets_same_kernel(const struct run_sets *sets);
/* Adds "base_slice_ns=1400000 NO_RUN_TO_PARITY" for a set: the scheduler tunables and features that every run of all
 * sets has and that are not the same everywhere. The preemption mode is not among them, it is a fact of its own. */
void run_set_add_tunables(const struct run_sets *sets, size_t set, struct buffer *out);

#endif
