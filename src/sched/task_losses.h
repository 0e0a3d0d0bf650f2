/* SPDX-License-Identifier: MIT
 *
 * What the task state machine makes of missing events: who ran on their CPU is not known, and nothing that was known of
 * tasks off their CPUs holds any more. Part of task_states.c, for that alone. */
#ifndef SCHED_TASK_LOSSES_H
#define SCHED_TASK_LOSSES_H

#include "sched/task.h"

/* Takes SCHED_LOST or SCHED_GAP. */
void task_losses_step(struct task_states *machine, const struct sched_event *event, struct task_step *step);
/* The task on the CPU can no longer be told: it was last seen there at cpu->last_ns. */
void task_losses_end_current(struct task_states *machine, uint32_t cpu_number, struct task_step *step);
/* Events of the CPU are missing from now on, until task_losses_close_gap(). */
void task_losses_open_gap(struct task_states *machine, struct task_cpu *cpu);
void task_losses_close_gap(struct task_states *machine, struct task_cpu *cpu);

#endif
