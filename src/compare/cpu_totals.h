/* SPDX-License-Identifier: MIT
 *
 * How many CPUs are known, how many of them are idle or hide what waits for them, and how many tasks run or wait on
 * them, after each event. An event changes what it names: only these CPUs are looked at, however many there are. Pure.
 */
#ifndef COMPARE_CPU_TOTALS_H
#define COMPARE_CPU_TOTALS_H

#include "trace/task_states.h"

enum cpu_share_state {
	CPU_SHARE_NONE, /* is not counted */
	CPU_SHARE_BUSY,
	CPU_SHARE_IDLE,
};

/* The share of one CPU in the totals. */
struct cpu_share {
	uint32_t runnable; /* as in struct task_cpu; also of a CPU that is not counted */
	enum cpu_share_state state;
	bool is_hidden; /* struct task_cpu: hides_waiting */
};

/* A zeroed struct is ready, with mask set. */
struct cpu_totals {
	const uint64_t *mask; /* the CPUs to count; NULL: all */
	uint32_t cpus, idle, hidden;
	uint32_t queued; /* on those that hide nothing */
	/* How many more tasks run or wait on the fullest than on the emptiest of these, and the tasks that wait for an
	 * idle one. */
	uint32_t imbalance, stranded;
	/* Internal. */
	struct cpu_share *shares;
	uint32_t share_count;
	uint32_t runnable; /* on all CPUs */
	uint32_t epoch;
	bool has_begun, has_changed;
};

/* Takes part in the totals. */
static inline bool cpu_totals_wants(const struct cpu_totals *totals, uint32_t cpu)
{
	return cpu_mask_has(totals->mask, cpu);
}

/* Call it after each task_states_step() of a run, from the first. */
void cpu_totals_step(struct cpu_totals *totals, const struct task_states *states, const struct sched_event *event,
		     const struct task_step *step);
void cpu_totals_free(struct cpu_totals *totals);

#endif
