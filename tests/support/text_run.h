/* SPDX-License-Identifier: MIT
 *
 * Feeds lines of the kernel's text trace to a task state machine and what consumes it: a test's trace stands in the
 * test. */
#ifndef SUPPORT_TEXT_RUN_H
#define SUPPORT_TEXT_RUN_H

#include "support/unit.h"
#include "trace/source.h"
#include "trace/task_states.h"

/* Lines of a trace, with times in microseconds of the second 100. The task in front is who was running. */
#define TEXT_SWITCH(cpu, us, prev, prev_pid, prev_prio, state, next, next_pid, next_prio)                              \
	"  any-" #prev_pid " [00" #cpu "] d..2. 100." us ": sched_switch: prev_comm=" prev " prev_pid=" #prev_pid      \
	" prev_prio=" #prev_prio " prev_state=" state " ==> next_comm=" next " next_pid=" #next_pid                    \
	" next_prio=" #next_prio "\n"
#define TEXT_WAKEUP(cpu, us, by_pid, comm, pid, prio, target)                                                          \
	"  any-" #by_pid " [00" #cpu "] d..2. 100." us ": sched_wakeup: comm=" comm " pid=" #pid " prio=" #prio        \
	" target_cpu=00" #target "\n"
#define TEXT_MIGRATE(cpu, us, by_pid, comm, pid, prio, from, to)                                                       \
	"  any-" #by_pid " [00" #cpu "] d..2. 100." us ": sched_migrate_task: comm=" comm " pid=" #pid " prio=" #prio  \
	" orig_cpu=" #from " dest_cpu=" #to "\n"
#define TEXT_SET_PRIO(cpu, us, by_pid, comm, pid, old_prio, new_prio)                                                  \
	"  any-" #by_pid " [00" #cpu "] d..2. 100." us ": sched_pi_setprio: comm=" comm " pid=" #pid                   \
	" oldprio=" #old_prio " newprio=" #new_prio "\n"
#define TEXT_LOST(cpu) "CPU:" #cpu " [LOST 5 EVENTS]\n"

typedef void (*text_run_step)(void *context, const struct task_states *states, const struct sched_event *event,
			      const struct task_step *step);

/* One run; times reach the consumer as they are. */
static inline void text_run(struct task_states *states, const char *text, text_run_step take, void *context)
{
	struct sched_source *source;
	struct sched_event event;
	struct task_step step;
	struct error err = {0};
	enum status status;

	assert_int_equal(sched_source_open_text(text, strlen(text), "test", &source, &err), STATUS_OK);
	task_states_begin(states, sched_source_leave_reasons(source), sched_source_scope(source));
	while ((status = sched_source_next(source, &event, &err)) == STATUS_OK) {
		assert_int_equal(task_states_step(states, &event, &step, &err), STATUS_OK);
		take(context, states, &event, &step);
	}
	assert_int_equal(status, STATUS_END);
	sched_source_close(source);
}

/* The number of the task with this PID on CPU 0. */
static inline uint32_t text_run_task(const struct task_states *states, int32_t pid)
{
	uint32_t task = task_states_find(states, pid, 0);

	assert_int_not_equal(task, TASK_NONE);
	return task;
}

#endif
