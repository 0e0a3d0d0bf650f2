/* SPDX-License-Identifier: MIT
 *
 * What happened in the interval that is going on: switches of each CPU, CPU time of each task, the longest waits. For
 * a monitor that must not show itself: what its own task does is left out, and a switch to it and back again is none.
 * Memory grows with the number of tasks. Pure. */
#ifndef ANALYSIS_TOP_H
#define ANALYSIS_TOP_H

#include "sched/task_states.h"

struct top_task {
	uint64_t cpu_time_ns;
	uint32_t switches, involuntary; /* times that it left a CPU, and of them runnable */
	uint32_t wakeups;
	uint64_t longest_wait_ns; /* from its wakeup until it ran */
};

struct top_cpu {
	uint64_t busy_ns; /* not idle, without own_ns */
	uint64_t own_ns;  /* of the monitor itself */
	uint32_t switches, involuntary;
	uint64_t longest_wait_ns;
	/* Who made way for the monitor, in which slice; task TASK_NONE: nobody. */
	struct task_slice hidden;
};

/* A zeroed one is empty. */
struct top {
	int32_t own_pid;  /* left out; -1: nobody */
	uint64_t from_ns; /* of the interval */
	uint64_t events, lost, wakeups;
	bool has_wait;
	struct task_wait longest_wait; /* from a wakeup */
	struct top_task *tasks;        /* by task number */
	struct top_cpu *cpus;
	uint32_t task_count, cpu_count;
};

/* Whether a switch is to be left out; else *slice is what it ends: where it comes from the monitor, that of the task
 * that had made way for it. To be asked before top_step() of the event. */
bool top_switch(const struct top *top, const struct task_states *states, const struct task_step *step,
		struct task_slice *slice);
/* Takes an event that the machine has taken. STATUS_SYSTEM when memory runs out. */
enum status top_step(struct top *top, const struct task_states *states, const struct sched_event *event,
		     const struct task_step *step, struct error *err);
/* Adds what runs at the interval's end, until_ns. */
enum status top_finish(struct top *top, const struct task_states *states, uint64_t until_ns, struct error *err);
/* Begins the next one, where the last ended. */
void top_restart(struct top *top, uint64_t from_ns);
/* The tasks that used most CPU time, at most of them, the first first; returns how many. Those that did nothing are
 * left out, and idle tasks. */
uint32_t top_order(const struct top *top, const struct task_states *states, uint32_t *tasks, uint32_t max);
void top_free(struct top *top);

#endif
