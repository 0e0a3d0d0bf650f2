/* SPDX-License-Identifier: MIT
 *
 * Shares of CPU time of the tasks of a run: against their weights, and between equal ones. */
#ifndef COMPARE_RUN_SHARES_H
#define COMPARE_RUN_SHARES_H

#include "compare/run_metrics_work.h"

/* Sets the errors of shares of a period, which has ended, in it and in those of names. A nice level weighs 1.25 times
 * the next one; weights of cgroups are in roles. */
void run_shares_set(struct run_metrics_work *work, const struct task_states *states, const struct metric_period *period,
		    bool steady);

/* Tasks of one name are equals if the names or the roots of the workload's tasks are known. */
bool run_shares_has_peers(const struct run_metrics_work *work);
struct peers *run_shares_peers(struct run_metrics_work *work, uint32_t comm);
/* Jain's index of the CPU time of equals, and their number. steady: of the CPU time in the steady part, up to ts_ns,
 * of the tasks that have not died before. */
double run_shares_jain(struct run_metrics_work *work, const struct task_states *states, uint32_t comm, uint64_t ts_ns,
		       bool steady, uint32_t *tasks);
/* Sets the fairness of both parts of the run. With several names: the mean weighted by number of tasks. */
void run_shares_set_fairness(struct run_metrics_work *work, const struct task_states *states);

#endif
