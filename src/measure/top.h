/* SPDX-License-Identifier: MIT
 *
 * Activity in the current interval: switches of each CPU, CPU time of each task, the longest waits, including those of
 * tasks that still wait. For a monitor that excludes itself: its own task is left out, and a switch to it and back is
 * not counted. Memory grows with the number of tasks. Pure. */
#ifndef MEASURE_TOP_H
#define MEASURE_TOP_H

#include "measure/latency.h"
#include "measure/task_choice.h"

struct top_task {
	uint64_t cpu_time_ns;
	uint32_t switches, involuntary; /* switches out; involuntary: the task stayed runnable */
	uint32_t wakeups;
	uint64_t longest_wait_ns; /* for a CPU, from its wakeup or preemption */
};

struct top_cpu {
	uint64_t busy_ns; /* busy time, without own_ns */
	uint64_t own_ns;  /* of the monitor itself */
	uint32_t switches, involuntary;
	uint64_t longest_wait_ns;
	/* The slice of the task that the monitor replaced; task TASK_NONE: none. */
	struct task_slice hidden;
};

/* task TASK_NONE: none. */
struct top_wait {
	uint32_t task, cpu;
	uint64_t length_ns;
	bool goes_on; /* not over at the end of the interval */
};

/* A zeroed struct is empty; top_restart() begins it. */
struct top {
	int32_t own_pid;                        /* the excluded task; -1: none */
	const struct task_choice *tasks_wanted; /* tasks for top_order() and longest_waits; NULL: all */
	uint64_t from_ns;                       /* start of the interval */
	uint64_t events, lost, wakeups;
	/* Without the waits that the monitor caused by its own preemption. */
	struct top_wait longest_waits[WAIT_KINDS];
	struct top_task *tasks; /* by task number */
	struct top_cpu *cpus;
	uint32_t task_count, cpu_count;
};

/* False if the switch is left out. Otherwise *slice is the slice that it ends; for a switch from the monitor, that of
 * the task that the monitor replaced. Call it before top_step() of the event. */
bool top_switch(const struct top *top, const struct task_states *states, const struct task_step *step,
		struct task_slice *slice);
/* Processes an event after task_states_step(). */
void top_step(struct top *top, const struct task_states *states, const struct sched_event *event,
	      const struct task_step *step);
/* Adds the tasks that run or wait at the interval's end, until_ns. */
void top_finish(struct top *top, const struct task_states *states, uint64_t until_ns);
/* Begins the next interval at the end of the last one. */
void top_restart(struct top *top, uint64_t from_ns);
/* Up to max tasks by CPU time, descending; returns their number. Idle tasks, and tasks that neither
 * ran nor waited or are not wanted, are left out. */
uint32_t top_order(const struct top *top, const struct task_states *states, uint32_t *tasks, uint32_t max);
void top_free(struct top *top);

#endif
