/* SPDX-License-Identifier: MIT
 *
 * The tables of struct task_states: from PID to task, from number to CPU. */
#ifndef SCHED_TASK_LOOKUP_H
#define SCHED_TASK_LOOKUP_H

#include <string.h>

#include "base/error.h"
#include "sched/task.h"

/* A zeroed struct task_states is ready for task_states_begin(). */
void task_states_free(struct task_states *states);

/* The task that the PID means now on this CPU (which counts for PID 0 only), or TASK_NONE. */
uint32_t task_states_find(const struct task_states *states, int32_t pid, uint32_t cpu);

/* Makes cpus[cpu] valid. STATUS_CORRUPT if Linux has no such CPU. */
enum status task_states_reserve_cpu(struct task_states *states, uint32_t cpu, struct error *err);
/* A new task of what was seen, which its PID means from now on. cpu counts for PID 0 only. */
enum status task_states_make(struct task_states *states, const struct sched_task *seen, uint32_t cpu, uint32_t *task,
			     struct error *err);
/* Another name for the task, if it is another. */
enum status task_states_set_comm(struct task_states *states, uint32_t task, const struct sched_comm *comm,
				 struct error *err);

/* Notes its name and priority, which an event just showed. Nearly always all 16 bytes of the name are those of before;
 * after its end they need not be. */
static inline enum status task_states_rename(struct task_states *states, uint32_t task, const struct sched_task *seen,
					     struct error *err)
{
	struct task *known = &states->tasks[task];
	const struct sched_comm *comm = &states->comms.comms[known->comm];
	uint64_t before[2];
	uint64_t now[2];

	if (seen->prio != TASK_PRIO_UNKNOWN)
		known->prio = seen->prio;
	memcpy(before, comm->bytes, sizeof(before));
	memcpy(now, seen->comm.bytes, sizeof(now));
	if (before[0] == now[0] && before[1] == now[1] && comm->length == seen->comm.length)
		return STATUS_OK;
	return task_states_set_comm(states, task, &seen->comm, err);
}

/* No PID means anything from now on; the tasks stay. */
void task_states_forget_tasks(struct task_states *states);

#endif
