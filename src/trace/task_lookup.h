/* SPDX-License-Identifier: MIT
 *
 * The tables of struct task_states: PID to task, number to CPU. */
#ifndef TRACE_TASK_LOOKUP_H
#define TRACE_TASK_LOOKUP_H

#include <string.h>

#include "base/error.h"
#include "base/hash.h"
#include "trace/task.h"

/* A zeroed struct task_states is ready for task_states_begin(). */
void task_states_free(struct task_states *states);

/* The slot of the PID, or the empty slot in which it belongs. The table must have slots. */
static inline uint32_t task_lookup_slot(const struct task_states *states, int32_t pid)
{
	uint32_t at = hash_number((uint32_t)pid) & states->slot_mask;

	while ((uint32_t)(states->slots[at] >> 32) != (uint32_t)pid && states->slots[at])
		at = (at + 1) & states->slot_mask;
	return at;
}

/* The current task of the PID, or TASK_NONE. cpu matters for PID 0 only. */
static inline uint32_t task_states_find(const struct task_states *states, int32_t pid, uint32_t cpu)
{
	if (pid == 0)
		return cpu < states->cpu_count ? states->cpus[cpu].idle : TASK_NONE;
	uint64_t slot = states->slots ? states->slots[task_lookup_slot(states, pid)] : 0;
	return slot ? (uint32_t)slot - 1 : TASK_NONE;
}

/* Makes cpus[cpu] valid. STATUS_CORRUPT if the number exceeds TASK_CPUS_MAX. */
enum status task_states_reserve_cpu(struct task_states *states, uint32_t cpu, struct error *err);
/* Creates a task and assigns the PID to it; returns its number. cpu matters for PID 0 only. */
uint32_t task_states_make(struct task_states *states, const struct sched_task *seen, uint32_t cpu);
/* A task takes over the PID of another task, which has ended. Not for idle tasks. */
void task_states_take_pid(struct task_states *states, uint32_t task, uint32_t ended);
/* The slow path of task_states_rename(): another name, another priority, or no name. */
void task_states_change(struct task_states *states, uint32_t task, const struct sched_task *seen);

/* Updates name and priority from an event. */
static inline void task_states_rename(struct task_states *states, uint32_t task, const struct sched_task *seen)
{
	struct task *known = &states->tasks[task];
	uint64_t before[2];
	uint64_t now[2];

	/* Nearly always the same bytes, including those after the end of the name. */
	memcpy(before, known->shown.bytes, sizeof(before));
	memcpy(now, seen->comm.bytes, sizeof(now));
	if ((before[0] ^ now[0]) | (before[1] ^ now[1]) | (uint32_t)(known->prio ^ seen->prio) |
	    (uint32_t)(known->shown.length ^ seen->comm.length) | (seen->prio == TASK_PRIO_UNKNOWN)) {
		task_states_change(states, task, seen);
		return;
	}
	known->prio_was = seen->prio;
	known->prio_seen_ns = states->last_ns;
}

/* Clears all PID assignments; the tasks stay. */
void task_states_forget_tasks(struct task_states *states);

#endif
