/* SPDX-License-Identifier: MIT
 *
 * The longest waits for a CPU, each with its circumstances: the waker of the task, the tasks that ran on its CPU, the
 * number of waiting tasks. Time in which a cgroup of the task was throttled, if it is known, does not count. A task
 * that still waits at the end of the trace is included: it may starve. Pure. */
#ifndef MEASURE_WORST_WAITS_H
#define MEASURE_WORST_WAITS_H

#include "measure/cgroups.h"
#include "measure/task_choice.h"
#include "trace/pass.h"

#define WORST_WAITS_MAX 1000
#define WORST_RAN_MAX   8 /* max number of listed tasks that ran during a wait: those that ran longest */

struct worst_ran {
	uint32_t task, comm; /* number of the task, and of its name at that time */
	uint64_t ns;
};

/* A part of a wait, on one CPU. */
struct worst_part {
	uint32_t cpu;
	uint64_t since_ns, end_ns; /* on the trace's clock */
};

struct worst_wait {
	uint32_t run, task, comm; /* comm: its name at that time */
	uint32_t cpu;             /* the CPU for which it waited last */
	enum wait_cause cause;
	bool has_ended;                      /* false: it still waits at the end of the trace */
	uint64_t since_ns, end_ns;           /* on the trace's clock */
	uint64_t since_start_ns;             /* since_ns relative to the trace's first event */
	struct throttled_spans throttled;    /* parts of the wait */
	uint32_t waker;                      /* the task that woke or forked it; TASK_NONE: none, or unknown */
	uint32_t waker_comm;                 /* the waker's name at that time */
	uint32_t migrations;                 /* migrations of the task during the wait */
	uint32_t waiting;                    /* number of other tasks that waited for the CPU at the start */
	bool waiting_known;                  /* false if struct task_cpu hides_waiting */
	struct worst_part longest;           /* the whole wait, unless the task was moved during it */
	struct worst_ran ran[WORST_RAN_MAX]; /* tasks on the CPU during the longest part; longest first */
	uint32_t ran_count;                  /* number of all tasks that ran there then, including idle ones */
	uint32_t idle_count;                 /* number of these that are idle tasks */
	uint64_t ran_ns;                     /* their CPU time; less than the part if some of it is unknown */
};

struct worst_waits {
	/* Set by the caller. */
	uint32_t max;                    /* number of waits to keep, up to WORST_WAITS_MAX */
	const struct task_choice *tasks; /* tasks whose waits count; NULL: all */
	const uint64_t *cpus;            /* bit mask of the CPUs whose waits count; NULL: all */
	bool without[WAIT_CAUSES];       /* causes that do not count */
	/* True if the wait counts; NULL: all waits count. */
	bool (*wants)(const void *context, const struct task_states *states, const struct worst_wait *wait);
	const void *context;
	/* Results, longest first; of equally long ones, those that ended first. */
	struct worst_wait *list;
	uint32_t count;
	uint64_t unknown; /* waits that would count, of unknown length; counted by worst_waits_consumer() */
	/* Internal. */
	struct cgroups cgroups;    /* of worst_waits_consumer() */
	struct wait_start *starts; /* by task */
	uint32_t start_count;
	struct slice_ring *rings; /* by CPU */
	uint32_t ring_count;
};

/* Processes the result of task_states_step(), after cgroups_step(). */
void worst_waits_step(struct worst_waits *waits, const struct cgroups *cgroups, const struct task_states *states,
		      const struct task_step *step);
/* Ends a run at ts_ns: adds the waits that are not over. */
void worst_waits_end(struct worst_waits *waits, const struct cgroups *cgroups, const struct task_states *states,
		     uint64_t ts_ns);
/* How long it waited, without the time in which it was throttled. */
static inline uint64_t worst_wait_ns(const struct worst_wait *wait)
{
	return wait->end_ns - wait->since_ns - throttled_ns(&wait->throttled);
}
/* The consumer that fills it in a pass. */
struct pass_consumer worst_waits_consumer(struct worst_waits *waits);
void worst_waits_free(struct worst_waits *waits);

#endif
