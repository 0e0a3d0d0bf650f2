/* SPDX-License-Identifier: MIT
 *
 * What the workload families share: tasks that wait behind the barrier, count their work in shared
 * memory, and say why they failed. Everything here runs in the leader process or in its tasks. */
#ifndef WORKLOADS_RUNNER_TASK_H
#define WORKLOADS_RUNNER_TASK_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "workloads/runner/workload.h"

/* One task's own lines in shared memory: 128 bytes, because processors fetch lines of 64 in pairs. */
struct task {
	_Alignas(128) uint64_t work; /* written by the task alone */
	uint64_t end_ns;             /* 0 until its body has returned */
	uint64_t cpu_ns;             /* from the barrier to the end of its body */
	uint64_t voluntary_switches, involuntary_switches;
	const char *name;
	int32_t id;       /* thread id */
	uint32_t arrived; /* at the barrier; atomic */
	uint32_t failed;
};

/* One run in shared memory, between the caller, the leader and the tasks. */
struct workload_shared {
	uint32_t ready; /* every task was made, as many as count says; atomic */
	uint32_t count;
	uint32_t start; /* futex: the leader waits here for workload_start() */
	uint32_t gate;  /* futex: the barrier */
	uint32_t over;  /* every task has ended; atomic */
	uint64_t start_ns;
	uint32_t failure_taken; /* atomic: the first failure is the one that is told */
	int32_t failure_errno;
	int32_t command_code; /* workload_result */
	char failure[256];
	struct task task[];
};

struct workload_tasks {
	const struct workload *workload;
	uint64_t loops;
	uint64_t duration_ns; /* with fixed_work too: what it is to come to */
	bool fixed_work;
	const char *scratch;
	struct workload_shared *shared;
	unsigned int count;
	pthread_t *threads; /* as many as there are tasks, for those that are threads */
};

/* The work of one task: 0, or -1 after task_fail(). */
typedef int task_body(struct workload_tasks *tasks, struct task *task, void *context);

/* Make the next task, as a process or as a thread of the leader. name (at most 15 bytes) and context stay valid until
 * the run is over; a process sees its own copy of what context points to. 0, or -1 after task_fail(). */
int task_start_process(struct workload_tasks *tasks, const char *name, task_body *body, void *context);
int task_start_thread(struct workload_tasks *tasks, const char *name, task_body *body, void *context);

/* Says that all tasks are made, waits for the caller's start and opens the barrier. That all tasks have reached the
 * barrier is for the caller to see, from its own CPU: work of the leader here would carry the CPU's virtual runtime
 * past that of the tasks, so that all start equal, where the originals' tasks start with what set-up left them; on CFS
 * hackbench then begins with fewer preemptions. */
void tasks_release(struct workload_tasks *tasks);
/* That, then collects the tasks. 0, or -1 where a task failed. */
int tasks_release_and_collect(struct workload_tasks *tasks);

/* Records the first failure of the run in words, with errnum's text unless it is 0. Returns -1. */
int task_fail(struct workload_tasks *tasks, int errnum, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* CLOCK_MONOTONIC */
uint64_t monotonic_ns(void);
/* For timed workloads, once the barrier is open: whether another loop is to be done, after so many. */
bool task_goes_on(const struct workload_tasks *tasks, uint64_t loops_done);

/* Futexes; shared: between processes, in shared memory. */
void futex_wait(uint32_t *word, uint32_t while_value, bool shared);
void futex_wake(uint32_t *word, int count, bool shared);

#endif
