/* SPDX-License-Identifier: MIT
 *
 * Time in which a task waited runnable while another CPU that it may use was idle: work that a work-conserving
 * scheduler would have run. The measure is that of Lozi et al., "The Linux Scheduler: a Decade of Wasted Cores"
 * (EuroSys 2016). A stretch begins when a task waits for one CPU and another is idle, and ends when it runs, leaves, or
 * no such CPU is idle any more. Which CPUs a task may use is not in a trace: those count that it was seen to use up to
 * then (it ran there, or was woken or moved there), or, with any_cpu, all. */
#ifndef ANALYSIS_IDLE_WAITING_H
#define ANALYSIS_IDLE_WAITING_H

#include "analysis/cpu_sets.h"
#include "analysis/distribution.h"
#include "analysis/episodes.h"
#include "sched/task_states.h"

struct idle_waiting {
	bool any_cpu;
	uint64_t threshold_ns; /* shorter stretches do not count */
	/* CPUs that take part; a word for 64 of them. NULL: all. */
	const uint64_t *cpus;
	/* Whose waiting counts; NULL: that of all tasks. */
	bool (*counts)(void *context, const struct task_states *states, uint32_t task);
	void *context;
	/* Results: by the CPU that was waited for, in nanoseconds. */
	struct distribution *by_cpu;
	uint64_t *idle_ns; /* that the CPU was idle */
	uint32_t cpu_count;
	struct distribution all;
	struct longest_episodes longest;
	/* Its own. */
	struct cpu_sets used;
	struct episodes episodes;
	bool *is_idle;
	uint32_t idle_count, run;
	bool started;
};

/* Takes what task_states_step() answered for the event. False when memory ran out. */
bool idle_waiting_step(struct idle_waiting *waiting, const struct task_states *states, const struct sched_event *event,
		       const struct task_step *step);
/* Takes what task_states_end_cpu() gave, before the end. */
void idle_waiting_cut(struct idle_waiting *waiting, const struct task_states *states, const struct task_slice *slice);
/* Ends the run at ts_ns: what still lasts counts up to there. */
void idle_waiting_end(struct idle_waiting *waiting, const struct task_states *states, uint64_t ts_ns);
void idle_waiting_free(struct idle_waiting *waiting);

#endif
