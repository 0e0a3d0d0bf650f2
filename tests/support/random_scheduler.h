/* SPDX-License-Identifier: MIT
 *
 * A scheduler made of random numbers, which knows what its tasks really did: its events and their truth. */
#ifndef SUPPORT_RANDOM_SCHEDULER_H
#define SUPPORT_RANDOM_SCHEDULER_H

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "support/sched_feed.h"

#define CPUS      3
#define TASKS     12
#define EVENTS    3000
#define START_NS  UINT64_C(1000000)
#define WAITS_MAX EVENTS

struct span {
	int32_t pid;
	uint32_t cpu;
	uint64_t from_ns, to_ns;
};

enum true_state { TRUE_SLEEPING, TRUE_RUNNABLE, TRUE_RUNNING, TRUE_UNBORN };

struct true_task {
	int32_t pid;
	enum true_state state;
	uint32_t cpu;
	uint64_t since_ns;
	bool waits_awake; /* runnable since a wakeup: the kernel does not wake it again */
};

struct truth {
	uint64_t seed;
	uint64_t now_ns;
	int32_t next_pid;
	struct true_task tasks[TASKS];
	int current[CPUS]; /* index of tasks, or -1: idle */
	uint64_t since_ns[CPUS];
	struct sched_event events[EVENTS + 8];
	size_t event_count;
	struct span waits[WAITS_MAX], slices[WAITS_MAX];
	size_t wait_count, slice_count;
	uint64_t spurious;
};

static inline uint32_t draw(struct truth *truth, uint32_t below)
{
	truth->seed = truth->seed * UINT64_C(6364136223846793005) + 1442695040888963407;
	return (uint32_t)(truth->seed >> 33) % below;
}

static inline const char *name_of(int32_t pid)
{
	static const char *const names[] = {"swapper", "red", "green", "blue"};

	return pid ? names[1 + pid % 3] : names[0];
}

static inline int32_t current_pid(const struct truth *truth, uint32_t cpu)
{
	return truth->current[cpu] < 0 ? 0 : truth->tasks[truth->current[cpu]].pid;
}

static inline void say(struct truth *truth, struct sched_event event)
{
	if (truth->event_count == EVENTS + 8)
		abort();
	truth->events[truth->event_count++] = event;
}

/* A runnable task on this CPU, or -1. */
static inline int pick_runnable(struct truth *truth, uint32_t cpu)
{
	uint32_t first = draw(truth, TASKS);

	for (uint32_t i = 0; i < TASKS; i++) {
		const struct true_task *task = &truth->tasks[(first + i) % TASKS];
		if (task->state == TRUE_RUNNABLE && task->cpu == cpu)
			return (int)((first + i) % TASKS);
	}
	return -1;
}

static inline void run_next(struct truth *truth, uint32_t cpu, int next)
{
	if (next >= 0) {
		struct true_task *task = &truth->tasks[next];
		truth->waits[truth->wait_count++] = (struct span){task->pid, cpu, task->since_ns, truth->now_ns};
		task->state = TRUE_RUNNING;
		task->waits_awake = false;
		task->since_ns = truth->now_ns;
	}
	truth->current[cpu] = next;
	truth->since_ns[cpu] = truth->now_ns;
}

static inline void schedule(struct truth *truth, uint32_t cpu)
{
	int next = pick_runnable(truth, cpu);
	int previous = truth->current[cpu];
	int32_t pid = current_pid(truth, cpu);
	char state = 'R';

	if (previous < 0 && next < 0)
		return;
	if (previous >= 0)
		state = "SDRpXI"[draw(truth, next >= 0 ? 6 : 2)];
	truth->slices[truth->slice_count++] = (struct span){pid, cpu, truth->since_ns[cpu], truth->now_ns};
	if (previous >= 0) {
		struct true_task *task = &truth->tasks[previous];
		task->state = state == 'R' || state == 'p' ? TRUE_RUNNABLE : TRUE_SLEEPING;
		task->since_ns = truth->now_ns;
	}
	run_next(truth, cpu, next);
	int32_t next_pid = current_pid(truth, cpu);
	say(truth, feed_switch(truth->now_ns, cpu, name_of(pid), pid, state, name_of(next_pid), next_pid));
	if (previous >= 0 && state == 'X')
		truth->tasks[previous] = (struct true_task){.pid = truth->next_pid++, .state = TRUE_UNBORN, .cpu = cpu};
}

static inline void wake(struct truth *truth, uint32_t cpu)
{
	struct true_task *task = &truth->tasks[draw(truth, TASKS)];
	uint32_t target = draw(truth, CPUS);
	int32_t by = current_pid(truth, cpu);

	/* Another task is woken while it is awake: the one that runs here. */
	if (task->waits_awake && truth->current[cpu] >= 0)
		task = &truth->tasks[truth->current[cpu]];
	if (task->waits_awake)
		return;
	if (task->state == TRUE_RUNNABLE || task->state == TRUE_RUNNING) {
		say(truth, feed_wakeup(truth->now_ns, cpu, by, name_of(task->pid), task->pid, task->cpu));
		truth->spurious++;
		return;
	}
	if (task->cpu != target)
		say(truth, feed_migrate(truth->now_ns, cpu, by, name_of(task->pid), task->pid, task->cpu, target));
	struct sched_event event = feed_wakeup(truth->now_ns, cpu, by, name_of(task->pid), task->pid, target);
	if (task->state == TRUE_UNBORN)
		event.kind = SCHED_WAKEUP_NEW;
	say(truth, event);
	task->state = TRUE_RUNNABLE;
	task->waits_awake = true;
	task->cpu = target;
	task->since_ns = truth->now_ns;
}

static inline void pull(struct truth *truth, uint32_t cpu)
{
	uint32_t from = draw(truth, CPUS);
	int found = pick_runnable(truth, from);

	if (from == cpu || found < 0)
		return;
	say(truth, feed_migrate(truth->now_ns, cpu, current_pid(truth, cpu), name_of(truth->tasks[found].pid),
				truth->tasks[found].pid, from, cpu));
	truth->tasks[found].cpu = cpu;
}

static inline struct truth *make_truth(uint64_t seed)
{
	struct truth *truth = calloc(1, sizeof(*truth));

	if (!truth)
		abort();
	truth->seed = seed;
	truth->now_ns = START_NS;
	truth->next_pid = 100;
	for (int i = 0; i < TASKS; i++)
		truth->tasks[i] = (struct true_task){.pid = truth->next_pid++, .state = TRUE_SLEEPING, .cpu = 0};
	for (int cpu = 0; cpu < CPUS; cpu++) {
		truth->current[cpu] = -1;
		truth->since_ns[cpu] = START_NS;
	}
	while (truth->event_count < EVENTS) {
		uint32_t cpu = draw(truth, CPUS);
		switch (draw(truth, 5)) {
		case 0:
		case 1:
			wake(truth, cpu);
			break;
		case 2:
			pull(truth, cpu);
			break;
		default:
			schedule(truth, cpu);
			break;
		}
		truth->now_ns += draw(truth, 1000);
	}
	return truth;
}

/* Whether the kernel records an event if it follows some tasks and their children: kernel/trace/trace_events.c
 * (event_filter_pid_sched_switch_probe_pre() and others). follows[PID]; a child's entry is set at its birth. */
static inline bool is_recorded(bool *follows, const struct sched_event *event)
{
	if (event->kind == SCHED_SWITCH)
		return follows[event->switched.prev.pid] || follows[event->switched.next.pid];
	if (event->kind == SCHED_WAKEUP_NEW && follows[event->common_pid])
		follows[event->wakeup.task.pid] = true;
	if (event->kind == SCHED_WAKEUP || event->kind == SCHED_WAKEUP_NEW)
		return follows[event->common_pid] || follows[event->wakeup.task.pid];
	return follows[event->common_pid];
}

#endif
