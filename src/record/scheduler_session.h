/* SPDX-License-Identifier: MIT
 *
 * The scheduler of a collection (--scheduler): enabled before the first run, checked before and after each run, started
 * again after an ejection. A run counts as the scheduler's only if it was enabled before and after it with the same
 * enable_seq. */
#ifndef RECORD_SCHEDULER_SESSION_H
#define RECORD_SCHEDULER_SESSION_H

#include "record/tracefs/cpus.h"
#include "runs/metadata.h"
#include "scheduler/scheduler_process.h"
#include "trace/scheduler_mark.h"

struct scheduler_choice {
	const char *text; /* as given; NULL: none was given, the machine keeps its scheduler */
	struct scheduler_spec spec;
	bool stop_on_ejection;
};

struct scheduler_session {
	const struct scheduler_choice *choice;
	struct scheduler_process process;
	struct scheduler_state before, after;                    /* the last run */
	struct buffer name;                                      /* of choice */
	struct run_scheduler_event events[SCHEDULER_EVENTS_MAX]; /* of the last run */
	size_t event_count;
	char reason[512];   /* of the last ejection */
	bool is_known;      /* a scheduler was chosen, or the machine has a sched_ext scheduler */
	bool ejected;       /* during the last run */
	bool is_realtime;   /* the tracer is a real-time task */
	unsigned int count; /* of ejections */
	char first[1024];   /* the report of the first one, or "" */
	const char *isolation;
};

/* STATUS_UNSUPPORTED if a sched_ext scheduler is chosen and this machine's kernel has no sched_ext. */
enum status scheduler_session_check(const struct scheduler_choice *choice, struct error *err);
/* Starts the scheduler. If one was chosen and the tracer has no CPU of its own, makes the tracer a real-time task
 * (SCHED_FIFO), which the scheduler does not schedule. directory gets the scheduler's output, scheduler_runN.log. */
enum status scheduler_session_begin(struct scheduler_session *session, const struct scheduler_choice *choice,
				    const struct cpu_layout *cpus, const char *directory, unsigned int first_run,
				    struct error *err);
/* Before a run: restarts an ejected scheduler, and reads the kernel's counters. */
enum status scheduler_session_before(struct scheduler_session *session, struct error *err);
/* At the end of a run, before tracing stops: reads the state. */
void scheduler_session_after(struct scheduler_session *session);
/* After scheduler_session_after(): reads the state again, finds the reason of an ejection, and counts the events of the
 * run. */
void scheduler_session_judge(struct scheduler_session *session);
/* Writes the text of the mark that records state in a trace. */
void scheduler_session_mark(const struct scheduler_state *state, char text[SCHEDULER_MARK_SIZE]);
/* After scheduler_session_judge(); points into session. */
struct run_scheduler scheduler_session_describe(struct scheduler_session *session);
/* Reports an ejection during the run id. STATUS_GUEST with stop_on_ejection. */
enum status scheduler_session_report(struct scheduler_session *session, const char *id, struct error *err);
void scheduler_session_end(struct scheduler_session *session);

/* True if the scheduler takes only tasks with the policy SCHED_EXT, so that the workload's tasks must request it. */
bool scheduler_session_is_partial(const struct scheduler_session *session);

#endif
