/* SPDX-License-Identifier: MIT
 *
 * The effect of missing events on task states: the task on their CPU becomes unknown, and so does the state of all
 * tasks that are not running: any CPU may have one in its queue until it goes idle. Internal to task_states.c. */
#ifndef TRACE_TASK_LOSSES_H
#define TRACE_TASK_LOSSES_H

#include "trace/task.h"

/* Handles SCHED_LOST or SCHED_GAP. */
void task_losses_step(struct task_states *states, const struct sched_event *event, struct task_step *step);
/* The task on the CPU is unknown from now on; it was last seen there at cpu->last_ns. */
void task_losses_end_current(struct task_states *states, uint32_t cpu_number, struct task_step *step);
/* Events of the CPU are missing from now on, until task_losses_close_gap(). */
void task_losses_open_gap(struct task_states *states, struct task_cpu *cpu, uint64_t ts_ns);
void task_losses_close_gap(struct task_states *states, struct task_cpu *cpu, uint64_t ts_ns);

#endif
