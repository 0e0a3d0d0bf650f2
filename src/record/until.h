/* SPDX-License-Identifier: MIT
 *
 * The conditions of record --until: "[TASK:]WAIT > TIME". The pages of a recording are decoded as they are drained, and
 * each wait of a task for a CPU is judged when it ends, or while it goes on. */
#ifndef RECORD_UNTIL_H
#define RECORD_UNTIL_H

#include "base/condition.h"
#include "base/options.h"
#include "record/tracefs/session.h"
#include "record/tracefs/spool.h"
#include "trace/format/tracedat.h"
#include "trace/stream.h"
#include "trace/task_states.h"

/* The names of waits. A row whose name is NULL ends the table. */
struct until_wait {
	const char *name;
	bool causes[WAIT_CAUSES];
	bool is_fair; /* only of tasks of the fair class */
};
extern const struct until_wait until_waits[];

struct until_condition {
	struct condition condition; /* subject: a pattern of tasks' names; limit: nanoseconds */
	const struct until_wait *wait;
};

/* The wait that met a condition. */
struct until_moment {
	const struct until_condition *condition; /* NULL: none did */
	struct sched_comm comm;
	int32_t pid;
	uint32_t cpu;
	enum wait_cause cause;
	bool goes_on;              /* not over at end_ns */
	uint64_t since_ns, end_ns; /* trace clock */
};

/* A zeroed struct has no conditions. */
struct until {
	struct until_condition conditions[OPTION_LIST_MAX];
	size_t count;
	struct until_moment moment; /* the first one */
	struct losses losses;       /* places without events, in the order of time */
	uint64_t now_ns;            /* up to this time, trace clock, waits are judged */
	/* Private. */
	const struct capture_session *session;
	const struct spool *spool;
	struct buffer header; /* of a trace.dat without pages; trace points into it */
	struct tracedat trace;
	struct trace_scope scope;
	struct page_source source;
	struct sched_stream *stream; /* NULL: not open */
	struct leave_reason_table outs;
	struct task_states states;
	int32_t own_pid;   /* picknext's tasks do not count; -1: only their names are known */
	uint64_t *read;    /* bytes of each part of the spool that are decoded */
	uint64_t *gaps_ns; /* start of the current gap of each CPU */
	uint8_t *page;
};

/* STATUS_USAGE describes the mistake in a condition. The texts must outlive the struct. */
enum status until_parse(const struct option_list *texts, struct until *until, struct error *err);
/* STATUS_USAGE names an event without which waits are not known, if the recording has none of it. */
enum status until_check_events(const struct capture_settings *settings, struct error *err);

/* "wakeup", "new", "preempted", "runnable" (preempted or yielded) */
const char *until_cause(const struct until_moment *moment);
/* The longest time of the conditions. */
double until_longest_s(const struct until *until);

/* Begins with the pages of a spool. */
void until_begin(struct until *until, const struct capture_session *session, const struct spool *spool);
/* After a drain: judges the waits up to now_ns, which the caller has taken from the trace clock before it. */
enum status until_read(struct until *until, uint64_t now_ns, struct error *err);
/* Ends what until_begin() began. moment and losses stay. */
void until_end(struct until *until);
void until_free(struct until *until);

/* The two tests of until_read(), for task states of any origin. Pure. */
void until_judge_step(struct until *until, const struct task_states *states, const struct task_step *step);
/* Waits that go on at now_ns. That of a task whose CPU idles does not count: on some kernels the switch to it is
 * missing, and a task whose group is throttled waits for no CPU. */
void until_judge_waiting(struct until *until, const struct task_states *states, uint64_t now_ns);

#endif
