/* SPDX-License-Identifier: MIT
 *
 * Fills a struct trace_quality during a pass over one trace, for quality_judge(). Pure. */
#ifndef TRACE_TRACE_WATCH_H
#define TRACE_TRACE_WATCH_H

#include "trace/quality.h"
#include "trace/source.h"
#include "trace/task_states.h"

struct trace_watch {
	struct trace_quality quality; /* complete after trace_watch_end() */
	uint64_t first_ns;            /* of the trace; set before the first trace_watch_step() */
	/* Private. */
	struct task_faults faults_before; /* faults before the window */
	uint64_t whole_since_ns;          /* time of the last loss */
};

/* The observed window of a trace; its end is relative to the trace's first event. */
struct trace_watch_end {
	uint64_t end_ns;
	bool is_cut;    /* the window ends before the trace */
	bool truncated; /* the file ends early */
};

void trace_watch_begin(struct trace_watch *watch, const struct task_states *states, const struct sched_source *source);
/* The next event is the first of the window. */
void trace_watch_open(struct trace_watch *watch, const struct task_states *states);
/* Internal: handle a loss, and a mark, which may name another scheduler. */
void trace_watch_loss(struct trace_watch *watch, const struct task_states *states, const struct sched_event *event);
void trace_watch_mark(struct trace_watch *watch, const struct sched_event *event);
/* Call them before and after task_states_end_cpu() of all CPUs. */
void trace_watch_end_window(struct trace_watch *watch, const struct task_states *states,
			    const struct trace_watch_end *end);
void trace_watch_end(struct trace_watch *watch, const struct task_states *states, struct sched_source *source,
		     const struct trace_watch_end *end);

/* Call it for each event of the window, before task_states_step(). */
static inline void trace_watch_step(struct trace_watch *watch, const struct task_states *states,
				    const struct sched_event *event)
{
	struct trace_quality *trace = &watch->quality;

	if (sched_event_is_loss(event)) {
		trace_watch_loss(watch, states, event);
		return;
	}
	trace->events++;
	if (event->kind == SCHED_SWITCH)
		trace->switches++;
	else if (event->kind == SCHED_WAKEUP || event->kind == SCHED_WAKEUP_NEW)
		trace->wakeups++;
	else if (event->kind == SCHED_MIGRATE)
		trace->migrations++;
	else if (event->kind == SCHED_MARK)
		trace_watch_mark(watch, event);
}

static inline uint64_t trace_watch_since(const struct trace_watch *watch, uint64_t ts_ns)
{
	return ts_ns > watch->first_ns ? ts_ns - watch->first_ns : 0;
}

#endif
