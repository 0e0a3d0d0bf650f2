/* SPDX-License-Identifier: MIT
 *
 * Tracks the state of every task and CPU, event by event. All analyses consume the result of a step rather than the
 * events. Memory grows with the number of tasks, not of events.
 *
 * Nothing is guessed. A task is UNKNOWN until an event shows its state. While events of any CPU are missing (from
 * SCHED_GAP to SCHED_LOST; open_gaps), the state of tasks that are not running is unknown, since wakeups may be
 * missing. Waits that overlap a gap are left out, so that all counted waits are exact. If another task runs on a
 * CPU than the known one, the running task is corrected. If that task waited for the CPU, only the switch to it is
 * missing (some kernels hide events of idle tasks): an idle CPU was idle until the task could run, and the time until
 * its first event is that of one of the two (CPU_BETWEEN, task_step.missing). Else the time since the last event of the
 * known task is unknown (CPU_UNKNOWN).
 *
 * If a trace follows some tasks only (trace_scope.h), steps show slices, starts, wakeups, waits and migrations of
 * these tasks. While another task runs, current is TASK_NONE (CPU_OUTSIDE). Of migrations, some are missing: a task
 * that waits may be on another CPU than task.cpu.
 *
 * Several traces (runs) can be processed in sequence: tasks of a later run get new numbers, names keep theirs. A
 * consumer's arrays stay valid across runs. */
#ifndef TRACE_TASK_STATES_H
#define TRACE_TASK_STATES_H

#include "base/error.h"
#include "trace/task.h"
#include "trace/task_lookup.h"

/* Starts a run. leave_reasons classifies its states; scope NULL: all tasks. Both must outlive the run. */
void task_states_begin(struct task_states *states, struct leave_reason_table *leave_reasons,
		       const struct trace_scope *scope);

/* Processes the next event, in the order of sched_stream. Every index in *step is valid. STATUS_CORRUPT if the event
 * names an invalid CPU. */
enum status task_states_step(struct task_states *states, const struct sched_event *event, struct task_step *step,
			     struct error *err);

/* The beginning of this CPU is missing: it has a gap up to its first event, and its time is counted from there. Without
 * this call, the task at a CPU's first event is assumed to have run since the run's first event on any CPU. Call it
 * before that CPU's first event. */
enum status task_states_late_start(struct task_states *states, uint32_t cpu, struct error *err);

/* Starts the time window at ts_ns. Call it between the events before ts_ns and those from ts_ns on. CPU time is counted
 * from ts_ns. A wait belongs completely to the window in which it ends. */
void task_states_open_window(struct task_states *states, uint64_t ts_ns);

/* Ends the run at ts_ns, the time of its last event or of the window's end. Call it for each cpu in [0, cpu_count).
 * True if it cut a slice; *slice is that slice. */
bool task_states_end_cpu(struct task_states *states, uint32_t cpu, uint64_t ts_ns, struct task_slice *slice);

#endif
