/* SPDX-License-Identifier: MIT
 *
 * Decisions of the scheduler, each with the candidates. A pick is a switch to a task that waited for the CPU; a move is
 * a migration of a waiting task from the queue of one CPU to that of another.
 *
 * The candidates are the tasks that waited for this CPU, including the chosen one. The running task is not a candidate:
 * a trace shows no decision to let it run on, since a switch never returns to it, and a move does not take it. A task
 * without an event so far is not known to wait. A switch to the idle task is not a decision. Switches and moves are
 * left out, and counted, if the waiting tasks are unknown (after lost events on any CPU, until this CPU has been idle),
 * or if the chosen task was not known to wait. Pure: adds up the waits and slices of trace/task_states.h. */
#ifndef DATA_DECISIONS_H
#define DATA_DECISIONS_H

#include "trace/pass.h"

/* Max number of listed candidates of a decision: those that have waited longest. */
#define DECISION_CANDIDATES_MAX 64u

struct decision_candidate {
	uint32_t task;
	int32_t prio;
	enum wait_cause cause;
	uint64_t since_ns; /* start of its wait */
	bool slice_known, last_cpu_known, runtime_known;
	uint64_t slice_ns;   /* CPU time since its latest wakeup or fork */
	uint64_t runtime_ns; /* CPU time in the trace so far */
	uint32_t last_cpu;
};

struct decision {
	uint64_t ts_ns;
	uint32_t cpu;    /* CPU whose queue the task was chosen from */
	uint32_t to_cpu; /* for a move */
	/* For a pick: the task that left the CPU. */
	bool prev_known, prev_ran_known;
	uint32_t prev;
	uint64_t prev_ran_ns;
	enum leave_reason prev_out;
	/* For a pick: the other CPUs, just after the switch. */
	bool others_running_known, others_waiting_known;
	uint32_t others_running, others_idle, others_waiting;
	uint32_t chosen_task;
	uint32_t chosen;          /* index in candidates; UINT32_MAX: not listed */
	uint32_t candidate_count; /* all candidates, also those not listed */
	uint32_t listed;
	struct decision_candidate candidates[DECISION_CANDIDATES_MAX]; /* by the start of their wait, then by PID */
};

/* Per task, in addition to task_states. */
struct decision_task {
	uint64_t runtime_ns, slice_ns;
	uint32_t slice_epoch; /* epoch of losses in which slice_ns is valid, plus 1; 0: unknown */
	uint32_t cpu_epoch;   /* the same for last_cpu */
	uint32_t last_cpu;
	bool lacks_start; /* a switch to the task was missing: runtime_ns is a lower bound */
};

struct decision_counts {
	uint64_t events, to_idle, after_loss, without_wait, excluded, decisions, choices, unlisted;
	uint64_t candidates, slices_unknown, last_cpus_unknown; /* of listed candidates */
	uint64_t prev_ran_unknown;
};

/* A zeroed struct is ready for a run; set the members with a comment first. */
struct decisions {
	int tracer_cpu;      /* decisions of this CPU are left out; -1: of none */
	bool include_tracer; /* also decisions for picknext's own tasks */
	bool of_moves;       /* moves instead of picks */
	struct decision_counts counts;
	/* Internal. */
	struct decision_task *tasks;
	uint32_t task_count;
	uint32_t *waiting; /* room for all candidates */
	size_t waiting_capacity;
	struct decision decision;
};

/* Processes an event and its step. Returns the decision, valid until the next call, or NULL if the event is none. */
const struct decision *decisions_step(struct decisions *decisions, const struct task_states *states,
				      const struct sched_event *event, const struct task_step *step);
void decisions_free(struct decisions *decisions);

#endif
