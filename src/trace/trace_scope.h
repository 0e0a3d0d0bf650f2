/* SPDX-License-Identifier: MIT
 *
 * The scope of a trace: the tasks whose events it has, and the CPUs that were offline when it began. task_states.h
 * applies it, so that analyses see only what is known of these tasks.
 *
 * A kernel that follows tasks (set_event_pid, event-fork: record --pid) records a switch if the task before or after it
 * is followed, a wakeup if the waker or the woken task is, and any other event only if the running task is. So the
 * trace has all slices, wakeups and waits of followed tasks, a part of their migrations, and nothing that other tasks
 * do meanwhile. A task is followed if it was in the list when the recording began, or if its birth is recorded. */
#ifndef TRACE_TRACE_SCOPE_H
#define TRACE_TRACE_SCOPE_H

#include <sched.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "trace/format/tracedat.h"

/* A zeroed struct: all tasks. */
struct trace_scope {
	bool followed_only;
	int32_t *followed; /* followed from the beginning; ascending */
	size_t followed_count;
	cpu_set_t offline; /* CPUs that were offline when the recording started */
};

/* Call trace_scope_free() afterwards. */
void trace_scope_open(struct trace_scope *scope, const struct tracedat *trace);
void trace_scope_free(struct trace_scope *scope);

/* True if the first task with this PID in the trace is followed. scope NULL: all tasks are. */
bool trace_scope_has(const struct trace_scope *scope, int32_t pid);

/* True if the CPU was offline when the recording started. */
bool trace_scope_begins_offline(const struct trace_scope *scope, uint32_t cpu);

static inline bool trace_scope_is_part(const struct trace_scope *scope)
{
	return scope && scope->followed_only;
}

#endif
