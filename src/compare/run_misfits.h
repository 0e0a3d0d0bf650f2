/* SPDX-License-Identifier: MIT
 *
 * Time in which a task that does not sleep ran on a CPU while a CPU of larger capacity, which it may use, was idle.
 * Only of runs whose CPUs have different capacities. */
#ifndef COMPARE_RUN_MISFITS_H
#define COMPARE_RUN_MISFITS_H

#include "compare/run_metrics_work.h"

/* Since its wakeup a task has not slept for so long. The averages by which kernels decide have a half-life of 32 ms. */
#define MISFIT_AWAKE_NS UINT64_C(100000000)

/* Counts the time from work->now_ns to ts_ns. Before an event. */
void run_misfits_advance(struct run_metrics_work *work, uint64_t ts_ns);
/* Finds them as they are after an event, when the wait accounts have seen it. */
void run_misfits_find(struct run_metrics_work *work, const struct task_states *states);

#endif
