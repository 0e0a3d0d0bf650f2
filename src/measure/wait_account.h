/* SPDX-License-Identifier: MIT
 *
 * The waits of a task, a name or a CPU: their distribution, and when the longest was. Pure. */
#ifndef MEASURE_WAIT_ACCOUNT_H
#define MEASURE_WAIT_ACCOUNT_H

#include "measure/distribution.h"
#include "trace/pass.h"
#include "trace/task_states.h"

enum wait_kind { AFTER_WAKEUP, AFTER_PREEMPTION, WAIT_KINDS };

/* A zeroed struct is empty. */
struct wait_account {
	struct distribution waits;
	uint64_t unknown; /* waits whose end is missing: struct task_missing_switch */
	/* When the longest ended: since the first event of its run, and on the trace's clock. */
	uint64_t longest_at_ns, longest_ts_ns;
	uint32_t longest_run;
};

/* The first wait of a new task counts as a wait after a wakeup. */
static inline enum wait_kind wait_kind_of(enum wait_cause cause)
{
	return cause == WAIT_WAKEUP || cause == WAIT_NEW ? AFTER_WAKEUP : AFTER_PREEMPTION;
}

/* Adds the wait to the account of its kind. */
void wait_account_add(struct wait_account accounts[WAIT_KINDS], const struct pass *pass, const struct task_wait *wait);
/* missing ends a wait. */
void wait_account_add_unknown(struct wait_account accounts[WAIT_KINDS], const struct task_missing_switch *missing);

#endif
