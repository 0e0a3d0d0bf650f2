/* SPDX-License-Identifier: MIT
 *
 * A workload, and functions to run it.
 *
 * workload_prepare() creates all tasks: each waits at a barrier, with its name and the affinity of the request.
 * workload_start() opens the barrier; workload_wait() returns when the last task has ended. The caller switches tracing
 * on between the first two, so that set-up is not recorded. */
#ifndef WORKLOADS_RUNNER_WORKLOAD_H
#define WORKLOADS_RUNNER_WORKLOAD_H

#include <sched.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"
#include "base/own_tasks.h"

struct workload_tasks; /* the tasks' side of a run (task.h) */
struct mix;            /* workloads/mix.h */

/* A workload has either loops (fixed work) or duration_s (timed). `picknext list` shows all members. */
struct workload {
	const char *name;        /* "hackbench_pipe_small" */
	const char *category;    /* "hackbench": the unit of a dataset split */
	const char *description; /* "Hackbench: pipes, 4 groups, 3000 loops" */
	const char *parameters;  /* "groups=4 senders=20 receivers=20 bytes=100 loops=3000" */
	const char *exercises;   /* one line: the tested part of the scheduler */
	const char *work_unit;   /* unit of work_done: "messages", "primes", "events", "rounds", "bytes" */
	const char *task_names;  /* "hackbench-send hackbench-recv": the comm of its tasks, separated by a space */
	uint64_t loops;          /* fixed work, or 0 */
	double duration_s;       /* timed, or 0 */
	uint64_t loops_per_s;    /* timed: loops that each task does per second of fixed work; 0: it ends by time */
	double small_scale;      /* scale of a small run, the default of guests */
	unsigned int groups;     /* hackbench */
	unsigned int tasks;      /* processes or threads in all */
	bool sockets;            /* hackbench: AF_UNIX instead of pipes */
	unsigned int features;   /* chaos: bits of workloads/chaos.c */
	bool needs_scratch;      /* does block I/O to request.scratch */
	bool only_named;         /* collect runs it only if it is named */
	bool is_built_in_mix;    /* one of workloads/mixes.c, not of a command line */
	char *const *command;    /* NULL, or the program to run (workloads/runner/command.h) */
	const struct mix *mix;   /* NULL, or its roles */
	/* Run in the caller's process, before the leader exists and after all tasks have ended; may be NULL. close runs
	 * also after open has failed. */
	enum status (*open)(struct workload_tasks *tasks, struct error *err);
	void (*close)(struct workload_tasks *tasks);
	/* Runs in the workload's own leader process: makes the tasks, waits at the barrier, collects them. 0, or -1
	 * after task_fail(). */
	int (*run)(struct workload_tasks *tasks);
};

/* The comm of the leader process, which makes the tasks, opens the barrier and reaps them. It is no workload task. */
#define WORKLOAD_LEADER_NAME OWN_TASK_LEADER

struct workload_request {
	const struct workload *workload;
	double scale;      /* multiplies loops and durations; at least one loop remains. 1.0: the reference size */
	double duration_s; /* run time of timed workloads, overrides scale; 0: their own */
	bool fixed_work; /* timed workloads do loops_per_s loops per second of their duration, without a time limit: one
			    second of duration takes about one second in a deterministic guest, whose CPUs share 10^9
			    instructions per second */
	uint64_t seed;   /* number of the run; it varies when the tasks of a mix start */
	cpu_set_t cpus;  /* the CPUs that its tasks may use */
	int policy;      /* the scheduling policy of its tasks; 0: SCHED_OTHER */
	const char *scratch; /* needs_scratch: a block device (its contents are overwritten), or a directory for
				temporary files, which are unlinked as soon as they are open */
};

struct workload_result {
	uint64_t work_done; /* in workload->work_unit */
	double elapsed_s;   /* from the barrier's opening to the last task's end, CLOCK_MONOTONIC */
	double cpu_s; /* CPU time of all tasks after the barrier; for a command, with the children that it waited for */
	unsigned int tasks;  /* tasks that ran */
	unsigned int failed; /* tasks that ended with an error; > 0 makes workload_wait() fail */
	char failure[256];   /* the first failure as a message: "cannot write /dev/nullb0: No space left on device" */
	int command_code;    /* exit status of a command, 128 + signal if one killed it; else 0 */
	pid_t command_pid;   /* its first task, which may have ended; else 0 */
	uint64_t voluntary_switches, involuntary_switches; /* ru_nvcsw, ru_nivcsw of all tasks, getrusage(2) */
};

struct workload_run; /* one prepared run */

/* STATUS_UNSUPPORTED if the kernel or the machine lacks a feature that the workload needs. The caller's process becomes
 * a child subreaper (prctl(2)) until workload_end(), so that no task outlives the run. Tasks inherit none of its
 * affinity, scheduling policy, signal handlers and files, and die with the thread that called workload_prepare().
 * STATUS_INTERRUPTED if a signal arrives meanwhile. */
enum status workload_prepare(const struct workload_request *request, struct workload_run **run, struct error *err);
enum status workload_start(struct workload_run *run, struct error *err);
/* STATUS_OK when it is over, STATUS_INTERRUPTED if a signal arrives first (base/interrupt.h) */
enum status workload_wait(struct workload_run *run, struct workload_result *result, struct error *err);
/* True once the run is over; does not block. For callers that drain the ring buffer in the meantime. */
bool workload_is_over(const struct workload_run *run);
/* The leader process; it and all of its tasks are in the process group of the same number. */
pid_t workload_leader(const struct workload_run *run);
/* Readable once the leader has ended and so the run is over; for poll(). */
int workload_descriptor(const struct workload_run *run);
/* Kills the remaining processes of the run's process group, reaps them, removes temporary files and frees run. Safe
 * after any of the above. */
void workload_end(struct workload_run *run);

/* Effective loops and seconds of a request; 0 if the workload has no such limit. */
uint64_t workload_effective_loops(const struct workload_request *request);
double workload_effective_duration_s(const struct workload_request *request);

#endif
