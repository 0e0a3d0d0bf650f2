/* SPDX-License-Identifier: MIT
 *
 * Differences between sets of runs in their settings and machines. */
#ifndef COMPARE_RUN_FACTS_H
#define COMPARE_RUN_FACTS_H

#include "base/buffer.h"
#include "compare/run_set.h"

/* A fact that follows from the recipes of the runs: compare/earlier_workloads.h. */
#define FACT_EARLIER_WORKLOADS ((enum environment_fact)FACT_COUNT)
#define COMPARED_FACTS         ((enum environment_fact)(FACT_COUNT + 1))

/* The row of a fact. */
const struct run_field *compared_field(enum environment_fact fact);

/* The distinct values of a fact within a set, separated by ", ", ending in "..." if text is too small; "unknown" if
 * no run has it. shared: only of runs of workloads that this set has too; NULL: of all. */
void run_set_fact(const struct run_set *set, const struct run_set *shared, enum environment_fact fact, char *text,
		  size_t size);
/* True if the sets differ in a fact. If it matters, a set whose metadata lack the fact differs from a set that has
 * it. FACT_TUNABLES: if the kernel is one build, and run_set_add_tunables() names any. FACT_EARLIER_WORKLOADS: if it
 * differs in runs of one workload. */
bool run_sets_differ(const struct run_sets *sets, enum environment_fact fact);
/* The value of a fact of a set as remarks show it: for tunables, earlier workloads and the command line of the kernel
 * what differs. The caller frees it. */
char *run_sets_fact_text(const struct run_sets *sets, size_t set, enum environment_fact fact);
/* Advice for the reader if it differs; NULL: none. */
const char *run_sets_fact_advice(const struct run_sets *sets, enum environment_fact fact);
/* A run has this value. */
bool run_sets_have_value(const struct run_sets *sets, enum environment_fact fact, const char *value);
/* True for a fact that can explain a difference between the sets: it matters, and they differ in it. */
bool run_sets_differ_besides_kernel(const struct run_sets *sets, enum environment_fact fact);
/* STATUS_USAGE if a later set was recorded in another way than the first: anything but the kernel and what it decides
 * (HZ, preemption, mitigations, clock source) differs. */
enum status run_sets_check_baseline(const struct run_sets *sets, struct error *err);

/* How the kernels of all runs differ, as far as it is known. */
enum run_sets_kernel {
	RUN_SETS_KERNELS,         /* several, or not known */
	RUN_SETS_ONE_RELEASE,     /* one release and build, and several images */
	RUN_SETS_ONE_BUILD,       /* one release and build; the images are not known */
	RUN_SETS_ONE_KERNEL_IMAGE /* by its hash */
};

enum run_sets_kernel run_sets_kernel(const struct run_sets *sets);

#endif
