/* SPDX-License-Identifier: MIT
 *
 * The tables of the task machine: from PID to task, from number to CPU. Used by task_machine.c. */
#ifndef SCHED_TASK_LOOKUP_H
#define SCHED_TASK_LOOKUP_H

#include "sched/task_machine.h"

/* Makes cpus[cpu] valid. STATUS_CORRUPT where Linux has no such CPU. */
enum status task_machine_reserve_cpu(struct task_machine *machine, uint32_t cpu, struct error *err);
/* A new task of what was seen, which its PID means from now on. cpu counts for PID 0 only. */
enum status task_machine_make(struct task_machine *machine, const struct sched_task *seen, uint32_t cpu, uint32_t *task,
			      struct error *err);
/* Notes its name and priority, of which an event just told. */
enum status task_machine_rename(struct task_machine *machine, uint32_t task, const struct sched_task *seen,
				struct error *err);
/* No PID means anything from now on; the tasks stay. */
void task_machine_forget_tasks(struct task_machine *machine);

#endif
