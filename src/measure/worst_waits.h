/* SPDX-License-Identifier: MIT
 *
 * The longest waits for a CPU, each with what happened meanwhile: who woke the task, who ran on its CPU, how many
 * waited. Waits that have not ended with the trace are among them: a task that starves. Pure. */
#ifndef MEASURE_WORST_WAITS_H
#define MEASURE_WORST_WAITS_H

#include "measure/task_choice.h"
#include "trace/pass.h"

#define WORST_WAITS_MAX 1000
#define WORST_RAN_MAX   8 /* listed tasks that ran meanwhile: those that ran longest */

struct worst_ran {
	uint32_t task, comm; /* number, and its name then */
	uint64_t ns;
};

/* A part of a wait, on one CPU. */
struct worst_part {
	uint32_t cpu;
	uint64_t since_ns, end_ns; /* on the trace's clock */
};

struct worst_wait {
	uint32_t run, task, comm; /* comm: its name then */
	uint32_t cpu;             /* where it waited last */
	enum wait_cause cause;
	bool has_ended;            /* else it waits at the end of the trace */
	uint64_t since_ns, end_ns; /* on the trace's clock */
	uint64_t since_start_ns;   /* of since_ns: since the trace's first event */
	uint32_t waker;            /* the task that woke or forked it; TASK_NONE: it was not woken, or unknown */
	uint32_t waker_comm;       /* its name then */
	uint32_t migrations;       /* of the task while it waited */
	uint32_t waiting;          /* others that waited for the CPU when it began to */
	bool waiting_known;        /* see struct task_cpu: hides_waiting */
	struct worst_part longest; /* all of it, unless the task was moved meanwhile */
	struct worst_ran ran[WORST_RAN_MAX]; /* in the longest part, on its CPU; longest first */
	uint32_t ran_count;                  /* of all tasks that ran there then, idle ones included */
	uint64_t ran_ns;                     /* of all; less than the part if some of it is not known */
};

struct worst_waits {
	/* Set by the caller. */
	uint32_t max;                    /* how many are kept, up to WORST_WAITS_MAX */
	const struct task_choice *tasks; /* whose waits count; NULL: all */
	const uint64_t *cpus;            /* bit mask of the CPUs whose waits count; NULL: all */
	bool without[WAIT_CAUSES];       /* causes that do not count */
	/* Which of these waits count; NULL: all. */
	bool (*wants)(const void *context, const struct task_states *states, const struct worst_wait *wait);
	const void *context;
	/* Results, longest first; of equal ones those that ended first. */
	struct worst_wait *list;
	uint32_t count;
	/* Internal. */
	struct wait_start *starts; /* by task */
	uint32_t start_count;
	struct slice_ring *rings; /* by CPU */
	uint32_t ring_count;
};

/* Processes the result of task_states_step(). */
void worst_waits_step(struct worst_waits *waits, const struct task_states *states, const struct task_step *step);
/* The end of a run at ts_ns: adds the waits that go on. */
void worst_waits_end(struct worst_waits *waits, const struct task_states *states, uint64_t ts_ns);
/* The consumer that fills it in a pass. */
struct pass_consumer worst_waits_consumer(struct worst_waits *waits);
void worst_waits_free(struct worst_waits *waits);

#endif
