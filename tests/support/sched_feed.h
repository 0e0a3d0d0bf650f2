/* SPDX-License-Identifier: MIT
 *
 * Typed events by hand, and the task state machine that takes them. A prev_state is the letter itself: 'S', 'R', and
 * 'p' for R+. */
#ifndef SUPPORT_SCHED_FEED_H
#define SUPPORT_SCHED_FEED_H

#include <stdio.h>
#include <string.h>

#include "trace/task_states.h"

static inline void feed_state_text(const void *context, uint64_t prev_state, char *text, size_t size)
{
	(void)context;
	if (prev_state == 'p')
		snprintf(text, size, "R+");
	else
		snprintf(text, size, "%c", (char)prev_state);
}

#define FEED_OUTS                                                                                                      \
	{                                                                                                              \
		.text = feed_state_text                                                                                \
	}

static inline struct sched_task feed_task(const char *comm, int32_t pid)
{
	struct sched_task task = {.pid = pid, .prio = 120};

	task.comm.length = (uint8_t)strnlen(comm, sizeof(task.comm.bytes));
	memcpy(task.comm.bytes, comm, task.comm.length);
	return task;
}

static inline struct sched_event feed_switch(uint64_t ts_ns, uint32_t cpu, const char *prev, int32_t prev_pid,
					     char state, const char *next, int32_t next_pid)
{
	struct sched_event event = {.ts_ns = ts_ns, .cpu = cpu, .kind = SCHED_SWITCH, .common_pid = prev_pid};

	event.switched.prev = feed_task(prev, prev_pid);
	event.switched.next = feed_task(next, next_pid);
	event.switched.prev_state = (uint64_t)state;
	return event;
}

/* by: who ran on cpu. */
static inline struct sched_event feed_wakeup(uint64_t ts_ns, uint32_t cpu, int32_t by, const char *comm, int32_t pid,
					     uint32_t target_cpu)
{
	struct sched_event event = {.ts_ns = ts_ns, .cpu = cpu, .kind = SCHED_WAKEUP, .common_pid = by};

	event.wakeup.task = feed_task(comm, pid);
	event.wakeup.target_cpu = target_cpu;
	return event;
}

/* by makes it. */
static inline struct sched_event feed_birth(uint64_t ts_ns, uint32_t cpu, int32_t by, const char *comm, int32_t pid,
					    uint32_t target_cpu)
{
	struct sched_event event = feed_wakeup(ts_ns, cpu, by, comm, pid, target_cpu);

	event.kind = SCHED_WAKEUP_NEW;
	return event;
}

static inline struct sched_event feed_migrate(uint64_t ts_ns, uint32_t cpu, int32_t by, const char *comm, int32_t pid,
					      uint32_t from_cpu, uint32_t to_cpu)
{
	struct sched_event event = {.ts_ns = ts_ns, .cpu = cpu, .kind = SCHED_MIGRATE, .common_pid = by};

	event.migrate.task = feed_task(comm, pid);
	event.migrate.from_cpu = from_cpu;
	event.migrate.to_cpu = to_cpu;
	return event;
}

static inline struct sched_event feed_lost(uint64_t ts_ns, uint32_t cpu, uint64_t count)
{
	struct sched_event event = {.ts_ns = ts_ns, .cpu = cpu, .kind = SCHED_LOST, .common_pid = -1};

	event.lost.count = count;
	event.lost.count_known = count > 0;
	return event;
}

#endif
