/* SPDX-License-Identifier: MIT
 *
 * What every task and every CPU is doing, followed event by event. All analyses are consumers of what a step answers;
 * none looks at the events for itself. Memory grows with the number of tasks, not of events.
 *
 * What is not known is never guessed. A task is UNKNOWN until an event says what it does. While events of any CPU are
 * missing (from SCHED_GAP to SCHED_LOST; open_gaps), nothing is known of tasks that do not run, since wakeups may be
 * among what is missing: every wait that a gap touches is left out, so that those which are counted are true. Where a
 * CPU switches from another task than the one that was known to run there (some machines leave single switches out),
 * the CPU is brought up to date: the time between the last event that the one was seen in and the first that the
 * other was seen in is unknown (unknown_ns).
 *
 * Several traces (runs) can be fed one after the other: tasks of a later run get further numbers, names keep theirs,
 * so that a consumer's arrays go on, and two runs merged are two runs concatenated. */
#ifndef SCHED_TASK_STATES_H
#define SCHED_TASK_STATES_H

#include "base/error.h"
#include "sched/task.h"
#include "sched/task_lookup.h"

/* Starts the first or a further run. outs classifies its states and must outlive it. */
void task_states_begin(struct task_states *states, struct leave_reason_table *outs);

/* Takes the next event, in the order of sched_stream. Every index in *step is valid. STATUS_CORRUPT if the event
 * names a CPU that cannot be; STATUS_SYSTEM when memory runs out. */
enum status task_states_step(struct task_states *states, const struct sched_event *event, struct task_step *step,
			     struct error *err);

/* Says that this CPU's beginning is missing: a gap up to its first event, and its time is counted from there. Without
 * it, the task that runs at a CPU's first event is assumed to have run there since the run's first event on any CPU. To
 * be called before that CPU's first event. */
enum status task_states_late_start(struct task_states *states, uint32_t cpu, struct error *err);

/* Begins the time window at ts_ns, between the events before it and those from it on: what runs then is counted from
 * there. A wait belongs to the window that it ends in, whole. */
void task_states_open_window(struct task_states *states, uint64_t ts_ns);

/* Ends the run at ts_ns, the time of its last event or of the window's end: to be called for each cpu in
 * [0, cpu_count); true if that cut a slice, which is given. */
bool task_states_end_cpu(struct task_states *states, uint32_t cpu, uint64_t ts_ns, struct task_slice *slice);

#endif
