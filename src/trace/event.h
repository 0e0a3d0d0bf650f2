/* SPDX-License-Identifier: MIT
 *
 * A typed scheduler event, as returned by sched_stream and sched_source. */
#ifndef TRACE_EVENT_H
#define TRACE_EVENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum sched_event_kind {
	SCHED_SWITCH,
	SCHED_WAKEUP,
	SCHED_WAKEUP_NEW,
	SCHED_MIGRATE,
	SCHED_PI_SETPRIO,                     /* priority inheritance sets a task's priority */
	SCHED_WAKING,                         /* a wakeup, recorded by the waker just before SCHED_WAKEUP */
	SCHED_STAT_RUNTIME,                   /* the scheduler charges a running task for CPU time */
	SCHED_MARK,                           /* a text written to trace_marker, such as picknext mark */
	SCHED_EVENT_ROWS,                     /* the number of kinds with a row in trace/event_rows.h */
	SCHED_OTHER_EVENT = SCHED_EVENT_ROWS, /* any other event in the trace */
	/* Not events of the trace: they mark missing events. */
	SCHED_LOST, /* on this CPU just before its next event: lost.count (0 unknown) */
	SCHED_GAP,  /* on this CPU just after its previous event: see sched_stream_tell_gaps() */
};

/* The CPU's context when an event was recorded. */
enum sched_context {
	SCHED_CONTEXT_UNKNOWN, /* a text trace without flags */
	SCHED_CONTEXT_TASK,    /* task common_pid, in user space or in the kernel */
	SCHED_CONTEXT_SOFTIRQ,
	SCHED_CONTEXT_HARDIRQ, /* or an NMI */
};

#define SCHED_COMM_SIZE 16 /* TASK_COMM_LEN */

/* A name as the kernel stores it: bytes up to the first NUL, at most 16; any byte can occur. */
struct sched_comm {
	char bytes[SCHED_COMM_SIZE];
	uint8_t length;
};

struct sched_text {
	const char *text; /* within the trace's bytes; not terminated, any byte but NUL can occur */
	size_t length;    /* without the newline that the kernel appends */
};

struct sched_task {
	struct sched_comm comm;
	int32_t pid;
	int32_t prio;
};

struct sched_event {
	uint64_t ts_ns;
	uint32_t cpu; /* the CPU whose buffer contains the event */
	enum sched_event_kind kind;
	int32_t common_pid; /* the task that was running */
	uint8_t context;    /* enum sched_context */
	union {
		struct {
			struct sched_task prev, next;
			uint64_t prev_state; /* raw; sched_state_text() renders it */
		} switched;
		struct {
			struct sched_task task;
			uint32_t target_cpu;
		} wakeup; /* SCHED_WAKEUP, SCHED_WAKEUP_NEW, SCHED_WAKING */
		struct {
			struct sched_task task;
			uint32_t from_cpu, to_cpu;
		} migrate;
		struct {
			struct sched_task task; /* with its new priority */
			int32_t old_prio;
		} set_prio;
		struct {
			uint64_t count;
			bool count_known;
		} lost;
		struct {
			struct sched_comm comm;
			int32_t pid;
			uint64_t runtime_ns; /* since the previous charge */
		} stat_runtime;
		struct sched_text mark;
	};
};

/* True if the event is not from the trace, but marks missing events. */
static inline bool sched_event_is_loss(const struct sched_event *event)
{
	return event->kind >= SCHED_LOST;
}

#endif
