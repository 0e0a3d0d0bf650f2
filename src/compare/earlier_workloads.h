/* SPDX-License-Identifier: MIT
 *
 * The workloads that ran before a run's own in its guest. The kernel begins the run in the state that they left, such
 * as where its own tasks are and when its timers fire, so that its decisions differ. Pure. */
#ifndef COMPARE_EARLIER_WORKLOADS_H
#define COMPARE_EARLIER_WORKLOADS_H

#include "base/buffer.h"
#include "runs/run.h"

/* The names in the recipe of picknext vm: "rt_greedy, rt_rr", or "none". NULL: the run has no such recipe, or its
 * workload is not in it. The caller frees it. */
char *earlier_workloads(const struct run *run);
/* The number of workloads with which both texts begin. */
size_t earlier_workloads_common(const char *a, const char *b);
/* Adds "first", or "after rt_greedy, rt_rr". The first common ones are counted, not named, if they are several; of the
 * others a few are named; long words such as those of a mix are shortened. */
void earlier_workloads_add_place(const char *workloads, size_t common, struct buffer *out);

#endif
