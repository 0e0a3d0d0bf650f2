/* SPDX-License-Identifier: MIT
 *
 * Accounts of a run while its metrics are computed, which run_metrics.c calls in the order of an event: the account of
 * waits beside an idle CPU and of misfits, that of the order in which tasks run, and that of shares of CPU time. Each
 * has a state of its own, and counts into the periods of the run what the metrics that name it (metric.account) are
 * computed from. NULL: no chosen metric needs it. Pure. */
#ifndef COMPARE_RUN_ACCOUNTS_H
#define COMPARE_RUN_ACCOUNTS_H

#include "compare/run_metrics_work.h"

struct idle_account *idle_account_begin(struct run_metrics_work *work);
/* Before what ends with the event is counted. */
void idle_account_step(struct idle_account *idle, const struct sched_event *event, const struct task_step *step);
/* Sets its totals in work->now, up to work->now_ns. */
void idle_account_total(struct idle_account *idle);
void idle_account_free(struct idle_account *idle);

struct order_account *order_account_begin(void);
void order_account_switch(struct order_account *order, uint32_t cpu);
/* A wait after a wakeup has ended, after the switch; it counts to these periods. */
void order_account_wait(struct order_account *order, const struct task_wait *wait, struct metric_period *const *periods,
			size_t count);
void order_account_move(struct order_account *order, uint32_t task, uint32_t cpu);
/* is_busy: the CPU runs another task. */
void order_account_wakeup(struct order_account *order, uint32_t task, uint32_t cpu, bool is_busy);
void order_account_free(struct order_account *order);

struct share_account *share_account_begin(struct run_metrics_work *work);
/* A task of the workload has ended, before it counts as dead. */
void share_account_death(struct share_account *shares, const struct task_slice *slice);
/* Sets the results of a period, which has ended, and of that of each name. */
void share_account_close(struct share_account *shares, enum period_kind kind);
void share_account_free(struct share_account *shares);

#endif
