/* SPDX-License-Identifier: MIT
 *
 * A workload is a file that ends in its descriptors; workloads/table.c lists them in the seed's order.
 *
 * One run goes: workload_prepare() makes every task, each waiting behind a barrier with its name set
 * and with the affinity that the request gives; workload_start() opens the barrier; workload_wait() returns when
 * the last task is gone. The caller switches tracing on between the first two, so that set-up is not
 * recorded. */
#ifndef WORKLOADS_WORKLOAD_H
#define WORKLOADS_WORKLOAD_H

#include <sched.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"

struct workload_tasks; /* within workloads/: what a task sees of its run (task.h) */

/* loops 0: the workload runs for duration_s seconds instead. tasks, groups and so on are shown by
 * `picknext list`. */
struct workload {
	const char *name;        /* "hackbench_pipe_small" */
	const char *category;    /* "hackbench": what the split holds out */
	const char *description; /* "Hackbench: pipes, 4 groups, 3000 loops" */
	const char *parameters;  /* "groups=4 senders=20 receivers=20 bytes=100 loops=3000" */
	const char *exercises;   /* one line: what of the scheduler it exercises */
	const char *work_unit;   /* what work_done counts: "messages", "primes", "events", "rounds", "bytes" */
	const char *task_names;  /* "hackbench-send hackbench-recv": the comm of its tasks, separated by a space */
	uint64_t loops;          /* fixed work, or 0 */
	double duration_s;       /* timed, or 0 */
	uint64_t loops_per_s;    /* timed: what each of its tasks does for a second of fixed work */
	unsigned int groups;     /* hackbench */
	unsigned int tasks;      /* processes or threads in all */
	bool sockets;            /* hackbench: AF_UNIX instead of pipes */
	bool needs_scratch;      /* does block I/O to request.scratch */
	char *const *command;    /* NULL, or the program to run (workloads/runner/command.h) */
	/* Runs in the workload's own leader process: makes the tasks, waits at the barrier, collects them. 0, or -1
	 * after task_fail(). */
	int (*run)(struct workload_tasks *tasks);
};

/* The comm of the leader process, which makes the tasks, opens the barrier and reaps them: not a workload task. */
#define WORKLOAD_LEADER_NAME "picknext-lead"

extern const struct workload *const workload_table[];      /* NULL-terminated, the seed's order */
const struct workload *workload_find(const char *name);    /* or NULL */
const char *workload_nearest_name(const char *misspelled); /* of the table, or NULL where none is near */

struct workload_request {
	const struct workload *workload;
	double scale;        /* multiplies loops and durations; at least one loop remains. 1.0 as the seed */
	double duration_s;   /* for timed workloads, instead of theirs (scale then does not apply); 0: theirs */
	bool fixed_work;     /* timed workloads do loops_per_s loops for each second instead, however long it takes:
				about a second of a deterministic guest, whose CPUs share 10^9 instructions a second */
	cpu_set_t cpus;      /* the CPUs that its tasks may use */
	const char *scratch; /* needs_scratch: a block device (its contents are overwritten), or a directory for
				temporary files, which never have a name for longer than it takes to open them */
};

struct workload_result {
	uint64_t work_done; /* in workload->work_unit */
	double elapsed_s;   /* from the barrier's opening to the last task's end, CLOCK_MONOTONIC */
	double cpu_s;       /* CPU time of all tasks from then on; of a command, with the children that it waited for */
	unsigned int tasks; /* that took part */
	unsigned int failed; /* tasks that ended with an error; > 0 makes workload_wait() fail */
	char failure[256];   /* the first failure in words: "cannot write /dev/nullb0: No space left on device" */
	int command_code;    /* of a command: its exit status, 128 + signal where one killed it; else 0 */
	pid_t command_pid;   /* its first task, which may have ended; else 0 */
	uint64_t voluntary_switches, involuntary_switches; /* ru_nvcsw, ru_nivcsw of all tasks, getrusage(2) */
};

struct workload_run; /* one prepared run */

/* The caller's process becomes a child subreaper (prctl(2)) until workload_end(), so that no task is left
 * behind. Tasks inherit none of its affinity, scheduling policy, signal handlers and files, and die with the thread
 * that called workload_prepare(). STATUS_INTERRUPTED where a signal came meanwhile. */
enum status workload_prepare(const struct workload_request *request, struct workload_run **run, struct error *err);
enum status workload_start(struct workload_run *run, struct error *err);
/* STATUS_OK when it is over, STATUS_INTERRUPTED when a signal came first (base/interrupt.h) */
enum status workload_wait(struct workload_run *run, struct workload_result *result, struct error *err);
/* True once the run is over; does not block. For callers that drain the ring buffer meanwhile. */
bool workload_is_over(const struct workload_run *run);
/* The leader process; it and all of its tasks are in the process group of the same number. */
pid_t workload_leader(const struct workload_run *run);
/* Readable once the leader has ended, which is when the run is over; for poll(). */
int workload_descriptor(const struct workload_run *run);
/* Kills what still runs (its whole process group), reaps it, removes temporary files, frees run. Safe after any of the
 * above. */
void workload_end(struct workload_run *run);

/* loops and seconds that a request comes to; 0 where the workload is not of that kind, or not done so */
uint64_t workload_effective_loops(const struct workload_request *request);
double workload_effective_duration_s(const struct workload_request *request);

/* True for a directory whose files live in memory (tmpfs, ramfs): nothing there waits for a block device. */
bool workload_scratch_is_memory(const char *directory);

#endif
