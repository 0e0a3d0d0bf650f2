/* SPDX-License-Identifier: MIT */
#include "trace/task_lookup.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

static void grow_slots(struct task_states *states)
{
	uint64_t *old = states->slots;
	uint32_t old_size = old ? states->slot_mask + 1 : 0;
	uint32_t size = old ? old_size * 2 : 1024;

	if (old && states->slots_used * 2 < old_size)
		return;
	if (!old)
		hash_begin();
	states->slots = xcalloc(size, sizeof(*states->slots));
	states->slot_mask = size - 1;
	for (uint32_t i = 0; i < old_size; i++)
		if (old[i])
			states->slots[task_lookup_slot(states, (int32_t)(uint32_t)(old[i] >> 32))] = old[i];
	free(old);
}

enum status task_states_reserve_cpu(struct task_states *states, uint32_t cpu, struct error *err)
{
	if (cpu >= TASK_CPUS_MAX)
		return error_set(err, STATUS_CORRUPT, NULL, "an event names CPU %u; Linux has at most %u", cpu,
				 TASK_CPUS_MAX);
	if (cpu >= states->cpu_capacity) {
		uint32_t capacity = states->cpu_capacity ? states->cpu_capacity : 16;
		while (capacity <= cpu)
			capacity *= 2;
		states->cpus = xreallocarray(states->cpus, capacity, sizeof(*states->cpus));
		states->cpu_capacity = capacity;
	}
	for (; states->cpu_count <= cpu; states->cpu_count++)
		states->cpus[states->cpu_count] = (struct task_cpu){
		    .current = TASK_NONE, .runnable_first = TASK_NONE, .idle = TASK_NONE, .stopper = TASK_NONE};
	return STATUS_OK;
}

static uint32_t name_of(struct task_states *states, const struct sched_task *seen, uint32_t cpu)
{
	struct sched_comm comm = {.length = 5, .bytes = "<...>"}; /* the kernel's text for an unknown name */

	if (seen->pid == 0)
		comm.length = (uint8_t)snprintf(comm.bytes, sizeof(comm.bytes), "swapper/%u", cpu % TASK_CPUS_MAX);
	else if (seen->comm.length)
		comm = seen->comm;
	else if (states->names.find)
		states->names.find(states->names.context, seen->pid, &comm);
	return comm_table_number(&states->comms, &comm);
}

static void reserve_task(struct task_states *states)
{
	uint32_t capacity = states->task_capacity ? states->task_capacity * 2 : 256;

	if (states->task_count < states->task_capacity)
		return;
	struct task *tasks = aligned_alloc(_Alignof(struct task), capacity * sizeof(*tasks));
	if (!tasks)
		memory_exhausted();
	if (states->tasks)
		memcpy(tasks, states->tasks, states->task_count * sizeof(*tasks));
	free(states->tasks);
	states->tasks = tasks;
	states->task_capacity = capacity;
}

uint32_t task_states_make(struct task_states *states, const struct sched_task *seen, uint32_t cpu)
{
	uint32_t comm = name_of(states, seen, cpu);

	reserve_task(states);
	uint32_t task = states->task_count++;
	states->tasks[task] = (struct task){
	    .pid = seen->pid,
	    .prio = seen->prio,
	    .prio_was = seen->prio,
	    .prio_seen_ns = states->last_ns,
	    .comm = comm,
	    .shown = seen->comm,
	    .cpu = seen->pid ? UINT32_MAX : cpu,
	    .epoch = states->epoch,
	    .is_idle = seen->pid == 0,
	    .is_kernel = seen->pid == 0 || comm_is_kernel_thread(&states->comms.comms[comm]),
	    .is_outside = !trace_scope_has(states->scope, seen->pid),
	    .run = states->run,
	    .waker_pid = -1,
	};
	if (seen->pid == 0) {
		states->cpus[cpu].idle = task;
		return task;
	}
	grow_slots(states);
	uint32_t at = task_lookup_slot(states, seen->pid);
	states->slots_used += states->slots[at] == 0;
	states->slots[at] = (uint64_t)(uint32_t)seen->pid << 32 | (task + 1);
	return task;
}

static void set_slot(struct task_states *states, int32_t pid, uint32_t task)
{
	states->slots[task_lookup_slot(states, pid)] = (uint64_t)(uint32_t)pid << 32 | (task + 1);
}

void task_states_take_pid(struct task_states *states, uint32_t task, uint32_t ended)
{
	int32_t pid = states->tasks[ended].pid;

	set_slot(states, states->tasks[task].pid, ended); /* as in the kernel: this PID has ended */
	set_slot(states, pid, task);
	states->tasks[task].former_pid = states->tasks[task].pid;
	states->tasks[task].exec_ns = states->last_ns;
	states->tasks[task].pid = pid;
}

__attribute__((noinline, cold)) void task_states_change(struct task_states *states, uint32_t task,
							const struct sched_task *seen)
{
	struct task *known = &states->tasks[task];
	const struct sched_comm *comm = &seen->comm;

	if (seen->prio != TASK_PRIO_UNKNOWN) {
		if (known->prio != seen->prio)
			known->prio_before_ns = known->prio_seen_ns;
		known->prio = seen->prio;
		known->prio_was = seen->prio;
		known->prio_seen_ns = states->last_ns;
	}
	known->shown = *comm;
	if (known->is_idle || comm->length == 0 || comm_equal(&states->comms.comms[known->comm], comm))
		return;
	known->comm = comm_table_number(&states->comms, comm);
	known->is_kernel = known->is_kernel || comm_is_kernel_thread(comm);
}

void task_states_forget_tasks(struct task_states *states)
{
	if (states->slots)
		memset(states->slots, 0, ((size_t)states->slot_mask + 1) * sizeof(*states->slots));
	states->slots_used = 0;
}

void task_states_free(struct task_states *states)
{
	free(states->tasks);
	free(states->cpus);
	free(states->slots);
	comm_table_free(&states->comms);
	*states = (struct task_states){0};
}
