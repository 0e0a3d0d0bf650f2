/* SPDX-License-Identifier: MIT
 *
 * Shared by the workload families: tasks that wait at the barrier, count their work in shared memory, and report
 * failures. All functions run in the leader process or in its tasks. */
#ifndef WORKLOADS_RUNNER_TASK_H
#define WORKLOADS_RUNNER_TASK_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "workloads/runner/workload.h"

/* One task's own cache lines in shared memory: 128 bytes, because processors fetch 64-byte lines in pairs. */
struct task {
	_Alignas(128) uint64_t work; /* written only by the task */
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
	uint32_t ready; /* all tasks exist, count of them; atomic */
	uint32_t count;
	uint32_t start; /* futex: the leader waits here for workload_start() */
	uint32_t gate;  /* futex: the barrier */
	uint32_t over;  /* all tasks have ended; atomic */
	uint64_t start_ns;
	uint32_t failure_taken; /* atomic: only the first failure is recorded */
	int32_t failure_errno;
	uint32_t failure_status; /* enum status */
	int32_t command_code;    /* workload_result */
	char failure[256];
	struct task task[];
};

struct workload_tasks {
	const struct workload *workload;
	uint64_t loops;       /* 0: until duration_ns is over */
	uint64_t duration_ns; /* also with fixed_work: the intended duration */
	bool fixed_work;
	uint64_t seed;
	cpu_set_t cpus;
	const char *scratch;
	struct workload_shared *shared;
	unsigned int count;
	pthread_t *threads; /* one per task, of tasks that are threads */
	void *own;          /* of workload->open and close */
};

/* The work of one task: 0, or -1 after task_fail(). */
typedef int task_body(struct workload_tasks *tasks, struct task *task, void *context);
/* The same, for what a task does before it waits at the barrier. */
typedef task_body task_entry;

/* Create the next task, as a process or as a thread of the leader. name (at most 15 bytes) and context stay valid until
 * the run is over; a process has its own copy of the data at context. 0, or -1 after task_fail(). */
int task_start_process(struct workload_tasks *tasks, const char *name, task_body *body, void *context);
int task_start_entered_process(struct workload_tasks *tasks, const char *name, task_entry *entry, task_body *body,
			       void *context);
int task_start_thread(struct workload_tasks *tasks, const char *name, task_body *body, void *context);

/* Reports that all tasks exist, waits for the caller's start and opens the barrier. The caller checks from its own CPU
 * that all tasks have reached the barrier. If the leader did, its work would advance the CPU's virtual runtime past
 * that of the tasks, and all tasks would start equal. In collect_traces.py they start with the virtual runtime that
 * set-up left them; on CFS equal tasks preempt each other less at the start of hackbench. */
void tasks_release(struct workload_tasks *tasks);
/* The same, then waits for all tasks. 0, or -1 if a task failed. */
int tasks_release_and_collect(struct workload_tasks *tasks);

/* Records the first failure of the run as text, with the text of errnum unless it is 0. Returns -1. */
int task_fail(struct workload_tasks *tasks, int errnum, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* The same if the kernel or the machine does not support what the workload needs: STATUS_UNSUPPORTED. */
int task_refuse(struct workload_tasks *tasks, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* For timed workloads, after the barrier has opened: true if another loop follows loops_done. */
bool task_goes_on(const struct workload_tasks *tasks, uint64_t loops_done);

/* Futexes; shared: between processes, in shared memory. */
void futex_wait(uint32_t *word, uint32_t while_value, bool shared);
void futex_wake(uint32_t *word, int count, bool shared);

#endif
