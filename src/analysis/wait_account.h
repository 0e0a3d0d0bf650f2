/* SPDX-License-Identifier: MIT
 *
 * What is counted of the waits of a task, a name or a CPU: the columns of picknext latency, and of picknext stat
 * --waits. */
#ifndef ANALYSIS_WAIT_ACCOUNT_H
#define ANALYSIS_WAIT_ACCOUNT_H

#include "analysis/distribution.h"
#include "sched/task_states.h"
#include "term/table.h"
#include "trace/pass.h"

enum wait_kind { AFTER_WAKEUP, AFTER_PREEMPTION, WAIT_KINDS };

/* A zeroed one is empty. */
struct wait_account {
	struct distribution waits;
	/* When the longest ended: since the first event of its run, and on the trace's clock. */
	uint64_t longest_at_ns, longest_ts_ns;
	uint32_t longest_run;
};

/* A new task's wait for its first CPU is one after a wakeup. */
static inline enum wait_kind wait_kind_of(const struct task_wait *wait)
{
	return wait->cause == WAIT_WAKEUP || wait->cause == WAIT_NEW ? AFTER_WAKEUP : AFTER_PREEMPTION;
}

/* Accounts of both kinds, of which it takes the one that the wait belongs to. */
void wait_account_add(struct wait_account accounts[WAIT_KINDS], const struct analysis *analysis,
		      const struct task_wait *wait);
/* Adds the cells of WAIT_COLUMNS. */
void wait_account_fill(const struct wait_account *account, struct table *table);

/* Keys begin with prefix, headings with the line word. */
#define WAIT_COLUMNS(prefix, word, wide)                                                                               \
	{prefix "waits", word "waits", TABLE_NUMBER, wide}, {prefix "wait_mean_ns", word "mean\nus", TABLE_US, wide},  \
	    {prefix "wait_p50_ns", word "p50\nus", TABLE_US, wide},                                                    \
	    {prefix "wait_p90_ns", word "p90\nus", TABLE_US, TABLE_WIDE},                                              \
	    {prefix "wait_p99_ns", word "p99\nus", TABLE_US, wide},                                                    \
	    {prefix "wait_p999_ns", word "p99.9\nus", TABLE_US, TABLE_WIDE},                                           \
	    {prefix "wait_max_ns", word "max\nus", TABLE_US, wide},                                                    \
	    {prefix "wait_max_at_ns", word "max ended\nat s", TABLE_SECONDS, wide},                                    \
	    {prefix "wait_max_ts_ns", "", TABLE_NUMBER, TABLE_DATA},                                                   \
	    {prefix "wait_max_run", "", TABLE_NUMBER, TABLE_DATA},                                                     \
	{                                                                                                              \
		prefix "wait_sum_ns", word "sum\nms", TABLE_MS, TABLE_WIDE                                             \
	}
#define WAIT_COLUMN_COUNT 11

#endif
