/* SPDX-License-Identifier: MIT
 *
 * CPUs that are taken offline and online again, from the four scheduler events (kernel/cpu.c).
 *
 * takedown_cpu() parks the CPU's thread cpuhp/N, then the CPU's stopper migration/N takes it offline. Tracepoints are
 * off on an offline CPU (cpu_online() in include/linux/tracepoint.h), so the switch to the stopper is its last one. Its
 * next event has its idle task running. The CPU counts as offline from that switch to that event, including the few
 * microseconds in which the stopper runs. A CPU that is offline when the recording starts is named in the trace
 * (trace_scope.h).
 *
 * Internal to task_states.c. */
#ifndef TRACE_CPU_HOTPLUG_H
#define TRACE_CPU_HOTPLUG_H

#include "trace/task.h"

/* The task left the CPU as LEAVE_STOPPED. */
void cpu_hotplug_note_stop(struct task_states *states, uint32_t cpu, uint32_t task);
/* The task is switched in on a CPU whose cpuhp thread is parked. True if the CPU is offline from ts_ns on. */
bool cpu_hotplug_switch_in(struct task_states *states, uint32_t cpu, uint32_t task, uint64_t ts_ns);
/* True if a CPU is offline. Wakeups that such a CPU makes on its way down or up (stop_machine_from_inactive_cpu(),
 * complete()) are not recorded. */
bool cpu_hotplug_hides_wakeups(const struct task_states *states);
/* Handles an event of a CPU that is CPU_OFFLINE; pid was running. True if the CPU is online again. False if the event
 * is of its stopper, which is still running; if the stopper is switched out, the CPU was not taken offline, and the
 * stopper becomes the current task again. */
bool cpu_hotplug_event(struct task_states *states, const struct sched_event *event, int32_t pid,
		       struct task_step *step);

#endif
