/* SPDX-License-Identifier: MIT
 *
 * Actions of tasks in the test programs of guests. A failure ends the process with exit code 1. */
#ifndef TESTS_SUPPORT_GUEST_TASK_H
#define TESTS_SUPPORT_GUEST_TASK_H

#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* Source: struct sched_attr in linux/sched/types.h, which musl lacks. */
struct deadline_attributes {
	uint32_t size, policy;
	uint64_t flags;
	int32_t nice;
	uint32_t priority;
	uint64_t runtime, deadline, period;
};

static inline void fail(const char *what)
{
	perror(what);
	_exit(1);
}

/* Lets the task (0: this one) use these CPUs only. */
static inline void allow(pid_t pid, size_t first, size_t last)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	for (size_t cpu = first; cpu <= last; cpu++)
		CPU_SET(cpu, &set);
	if (sched_setaffinity(pid, sizeof(set), &set))
		fail("sched_setaffinity");
}

static inline void rest_ms(long milliseconds)
{
	const struct timespec time = {milliseconds / 1000, milliseconds % 1000 * 1000000};

	nanosleep(&time, NULL);
}

static inline void burn_ms(int64_t milliseconds)
{
	struct timespec now, start;

	clock_gettime(CLOCK_MONOTONIC, &start);
	do
		clock_gettime(CLOCK_MONOTONIC, &now);
	while ((now.tv_sec - start.tv_sec) * 1000 + (now.tv_nsec - start.tv_nsec) / 1000000 < milliseconds);
}

/* SCHED_FIFO with this priority; 0: the fair class. */
static inline void set_priority(int priority)
{
	const struct sched_param param = {.sched_priority = priority};

	/* musl's own refuses, since the kernel's acts on a thread and not on a process. */
	if (syscall(SYS_sched_setscheduler, 0, priority ? SCHED_FIFO : SCHED_OTHER, &param))
		fail("sched_setscheduler");
}

#endif
