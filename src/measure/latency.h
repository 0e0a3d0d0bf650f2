/* SPDX-License-Identifier: MIT
 *
 * How long tasks waited for a CPU after wakeups and preemptions, per task, name or CPU, and in all. Pure. */
#ifndef MEASURE_LATENCY_H
#define MEASURE_LATENCY_H

#include "measure/distribution.h"
#include "measure/group_by.h"

enum wait_kind { AFTER_WAKEUP, AFTER_PREEMPTION, WAIT_KINDS };

/* The waits of a task, a name or a CPU: their distribution, and when the longest was. A zeroed struct is empty. The
 * time in which a cgroup of the task was throttled is no part of a wait, if it is known. */
struct wait_account {
	struct distribution waits;
	uint64_t throttled_ns;      /* of the waits of which it is known */
	uint64_t throttled_unknown; /* the number of the others */
	uint64_t unknown; /* waits whose end is missing (struct task_missing_switch) or whose beginning was lost */
	/* End of the longest wait: since the first event of its run, and on the trace's clock. */
	uint64_t longest_at_ns, longest_ts_ns;
	uint32_t longest_run;
};

/* The first wait of a new task counts as a wait after a wakeup. */
static inline enum wait_kind wait_kind_of(enum wait_cause cause)
{
	return cause == WAIT_WAKEUP || cause == WAIT_NEW ? AFTER_WAKEUP : AFTER_PREEMPTION;
}

/* Counts the waits that the step ends, after groups_step(). Each account of groups has a struct
 * wait_account[WAIT_KINDS] at this offset. True if step->wait was counted; without *throttled_ns. */
bool latency_count_waits(struct groups *groups, size_t offset, const struct pass *pass, const struct sched_event *event,
			 const struct task_step *step, uint64_t *throttled_ns);

#define LATENCY_OCTAVES 45 /* below 1 us, then powers of two up to 2^44 us, half a year */

struct latency {
	struct groups groups; /* accounts: struct wait_account[WAIT_KINDS] */
	uint64_t octaves[WAIT_KINDS][LATENCY_OCTAVES], counts[WAIT_KINDS];
};

void latency_begin(struct latency *latency, const struct group_options *options);
/* The consumer that fills it in a pass. */
struct pass_consumer latency_consumer(struct latency *latency);
void latency_free(struct latency *latency);

#endif
