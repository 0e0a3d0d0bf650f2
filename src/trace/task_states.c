/* SPDX-License-Identifier: MIT */
#include "trace/task_states.h"

#include <string.h>

#include "trace/cpu_hotplug.h"
#include "trace/task_changes.h"
#include "trace/task_lookup.h"
#include "trace/task_losses.h"

/* Makes cpus[cpu] valid. */
static inline enum status reserve_cpu(struct task_states *states, uint32_t cpu, struct error *err)
{
	return cpu < states->cpu_count ? STATUS_OK : task_states_reserve_cpu(states, cpu, err);
}

/* Returns true if it was in a list. Lists of an earlier epoch are void. */
static inline bool dequeue(struct task_states *states, struct task *task)
{
	if (!task->is_queued)
		return false;
	task->is_queued = false;
	if (task->epoch != states->epoch)
		return false;
	struct task *tasks = states->tasks;
	struct task_cpu *cpu = &states->cpus[task->cpu];
	uint32_t next = task->next, previous = task->previous;
	if (previous == TASK_NONE)
		cpu->runnable_first = next;
	else
		tasks[previous].next = next;
	if (next != TASK_NONE)
		tasks[next].previous = previous;
	cpu->runnable--;
	states->runnable--;
	return true;
}

/* The task must not be in a list. */
static inline void enqueue(struct task_states *states, uint32_t number, uint32_t cpu_number)
{
	struct task *tasks = states->tasks, *task = &tasks[number];
	struct task_cpu *cpu = &states->cpus[cpu_number];
	uint32_t next = cpu->runnable_first;

	task->cpu = cpu_number;
	task->previous = TASK_NONE;
	task->next = next;
	if (next != TASK_NONE)
		tasks[next].previous = number;
	cpu->runnable_first = number;
	cpu->runnable++;
	states->runnable++;
	task->is_queued = true;
}

/* The task must not be in a list. */
static inline void begin_wait(struct task_states *states, uint32_t number, const struct sched_event *event,
			      uint32_t cpu, enum wait_cause cause)
{
	struct task *task = &states->tasks[number];
	bool woken = cause == WAIT_WAKEUP || cause == WAIT_NEW;

	task_set_state(states, task, TASK_RUNNABLE, event->ts_ns);
	task->cause = (uint8_t)cause;
	task->waker_pid = woken ? event->common_pid : -1;
	task->waking_cpu = event->cpu;
	task->wait_migrations = 0;
	enqueue(states, number, cpu);
}

/* Makes the task current on the CPU. */
static inline void run_task(struct task_states *states, struct task_cpu *cpu, uint32_t number, uint64_t ts_ns)
{
	struct task *task = &states->tasks[number];

	dequeue(states, task);
	task_set_state(states, task, TASK_RUNNING, ts_ns);
	task->cpu = (uint32_t)(cpu - states->cpus);
	task->was_seen = true;
	task_cpu_end_absence(cpu, ts_ns);
	cpu->current = number;
	cpu->since_ns = ts_ns;
}

/* The task named by an event; created if the PID is new. A dead task keeps its name and priority: its PID may belong to
 * another task now. */
static enum status find_task(struct task_states *states, const struct sched_task *seen, uint32_t cpu, uint32_t *task,
			     struct error *err)
{
	*task = task_states_find(states, seen->pid, cpu);
	if (*task == TASK_NONE)
		return task_states_make(states, seen, cpu, task, err);
	if (states->tasks[*task].state == TASK_DEAD)
		return STATUS_OK;
	return task_states_rename(states, *task, seen, err);
}

/* Creates a task with a PID that is new, or that a dead task had. The kernel follows a PID only until its task has
 * ended: the birth of the next one is not recorded, unless that is followed too. */
static __attribute__((noinline, cold)) enum status make_living(struct task_states *states,
							       const struct sched_task *seen, uint32_t cpu,
							       uint32_t *task, struct task_step *step,
							       struct error *err)
{
	bool replaces_dead = *task != TASK_NONE;
	bool is_part = trace_scope_is_part(states->scope);

	if (replaces_dead && !is_part) {
		step->what |= STEP_ACT_OF_DEAD;
		states->faults.acts_of_dead++;
	}
	enum status status = task_states_make(states, seen, cpu, task, err);
	if (status == STATUS_OK && replaces_dead && is_part)
		states->tasks[*task].is_outside = true;
	return status;
}

/* The task named by an event, which shows that it lives; created if the PID is new or that of a dead task. */
static inline enum status find_living(struct task_states *states, const struct sched_task *seen, uint32_t cpu,
				      uint32_t *task, struct task_step *step, struct error *err)
{
	*task = task_states_find(states, seen->pid, cpu);
	if (*task == TASK_NONE || states->tasks[*task].state == TASK_DEAD)
		return make_living(states, seen, cpu, task, step, err);
	return task_states_rename(states, *task, seen, err);
}

/* A thread that calls exec waits until the leader of its process has ended, and takes over its PID while it runs. */
static bool take_pid_by_exec(struct task_states *states, uint32_t cpu, int32_t pid)
{
	uint32_t current = states->cpus[cpu].current;
	uint32_t leader = task_states_find(states, pid, cpu);

	if (current == TASK_NONE || states->tasks[current].is_kernel || pid <= 0 || leader == TASK_NONE ||
	    task_state_of(states, &states->tasks[leader]) != TASK_DEAD || states->tasks[leader].pid != pid)
		return false;
	task_states_take_pid(states, current, leader);
	return true;
}

/* True if only a switch to the task is missing. */
static bool could_run_on(const struct task_states *states, uint32_t number, uint32_t cpu)
{
	const struct task *task = &states->tasks[number];

	return task->is_idle || (task_state_of(states, task) == TASK_RUNNABLE && task->cpu == cpu);
}

/* The known current task was wrong: from now on running is current. */
static __attribute__((noinline, cold)) enum status set_current(struct task_states *states,
							       const struct sched_event *event,
							       const struct sched_task *running, struct task_step *step,
							       struct error *err)
{
	struct task_cpu *cpu = &states->cpus[event->cpu];
	uint32_t task;

	bool first = !cpu->seen;
	if (!first && take_pid_by_exec(states, event->cpu, running->pid))
		return STATUS_OK;
	if (!first && task_cpu_is_offline(cpu) && !cpu_hotplug_event(states, event, running->pid, step))
		return STATUS_OK;
	if (cpu->current != TASK_NONE) {
		step->what |= STEP_FROM_OTHER;
		states->faults.switches_from_other++;
		task_losses_end_current(states, event->cpu, step);
	}
	if (first) {
		cpu->since_ns = cpu->window_ns =
		    cpu->late_start || states->all_start_late ? event->ts_ns : states->window_ns;
		/* If a followed task had run here, its switch would be the first event. */
		cpu->absence = trace_scope_is_part(states->scope) ? CPU_OUTSIDE : CPU_UNKNOWN;
		if (trace_scope_begins_offline(states->scope, event->cpu)) {
			cpu->absence = CPU_OFFLINE;
			cpu_hotplug_event(states, event, running->pid, step);
		}
	}
	cpu->seen = true;
	enum status status = find_living(states, running, event->cpu, &task, step, err);
	if (status != STATUS_OK)
		return status;
	cpu = &states->cpus[event->cpu];
	if (states->tasks[task].is_outside) {
		if (cpu->absence != CPU_OUTSIDE)
			task_cpu_begin_absence(cpu, CPU_OUTSIDE, event->ts_ns);
		return STATUS_OK;
	}
	if (!first && cpu->absence == CPU_OUTSIDE) { /* the switch to a followed task was left out */
		cpu->absence = CPU_UNKNOWN;
		step->what |= STEP_SWITCH_MISSING;
		states->faults.switches_from_other++;
		states->faults.switches_missing++;
	}
	if (step->what & STEP_FROM_OTHER && could_run_on(states, task, event->cpu)) {
		step->what |= STEP_SWITCH_MISSING;
		states->faults.switches_missing++;
	}
	/* A task without earlier events has been there from the start. */
	uint64_t start = event->ts_ns;
	if (first && cpu->absence != CPU_OFFLINE && (running->pid == 0 || !states->tasks[task].was_seen))
		start = cpu->since_ns;
	run_task(states, cpu, task, start);
	cpu->since_cut = true;
	return STATUS_OK;
}

static inline void switch_out(struct task_states *states, const struct sched_event *event, uint32_t number,
			      enum leave_reason out, struct task_step *step)
{
	struct task *task = &states->tasks[number];

	struct task_slice *slice = task_add_slice(states, event->cpu, step);
	slice->out = out;
	slice->end_cut = false;
	slice->end_ns = event->ts_ns;
	if (out == LEAVE_STOPPED)
		cpu_hotplug_note_stop(states, event->cpu, number);
	/* If it has started on another CPU meanwhile, keep that. */
	if (task->state != TASK_RUNNING || task->cpu != event->cpu)
		return;
	if (task->is_idle) {
		task_set_state(states, task, TASK_SLEEPING, event->ts_ns);
	} else if (leave_reason_is_runnable(out)) {
		begin_wait(states, number, event, event->cpu, out == LEAVE_PREEMPTED ? WAIT_PREEMPTED : WAIT_RUNNABLE);
	} else {
		task_set_state(states, task, out == LEAVE_DEAD ? TASK_DEAD : TASK_SLEEPING, event->ts_ns);
		if (out == LEAVE_DEAD)
			task->died_ns = event->ts_ns;
		if (out == LEAVE_IDLE)
			task->is_kernel = true;
	}
}

static inline void end_wait(const struct task *task, uint32_t number, const struct sched_event *event,
			    struct task_step *step)
{
	step->what |= STEP_WAIT;
	step->wait = (struct task_wait){
	    .task = number,
	    .comm = task->comm,
	    .cpu = event->cpu,
	    .cause = (enum wait_cause)task->cause,
	    .waker_pid = task->waker_pid,
	    .waking_cpu = task->waking_cpu,
	    .migrations = task->wait_migrations,
	    .since_ns = task->since_ns,
	    .end_ns = event->ts_ns,
	};
}

static inline void switch_in(struct task_states *states, const struct sched_event *event, struct task_cpu *cpu,
			     uint32_t number, struct task_step *step)
{
	const struct task *task = &states->tasks[number];

	switch (task->is_idle ? TASK_UNKNOWN : task_state_of(states, task)) {
	case TASK_RUNNABLE:
		end_wait(task, number, event, step);
		break;
	case TASK_RUNNING:
		step->what |= STEP_ON_TWO_CPUS;
		states->faults.on_two_cpus++;
		break;
	case TASK_SLEEPING:
		if (cpu_hotplug_hides_wakeups(states))
			break;
		step->what |= STEP_WITHOUT_WAKEUP;
		states->faults.runs_without_wakeup++;
		break;
	default:
		break;
	}
	if (cpu->is_parked) {
		dequeue(states, &states->tasks[number]);
		if (cpu_hotplug_switch_in(states, event->cpu, number, event->ts_ns))
			return;
	}
	run_task(states, cpu, number, event->ts_ns);
	cpu->since_cut = false;
	step->what |= STEP_RUN;
	step->started = number;
}

static enum status step_switch(struct task_states *states, const struct sched_event *event, struct task_step *step,
			       struct error *err)
{
	const struct sched_task *prev = &event->switched.prev;
	struct task_cpu *cpu = &states->cpus[event->cpu];
	uint32_t current = cpu->current;
	enum status status;
	uint32_t next;

	if (current == TASK_NONE || (prev->pid >= 0 && states->tasks[current].pid != prev->pid)) {
		status = set_current(states, event, prev, step, err);
		if (status != STATUS_OK)
			return status;
		current = cpu->current;
	}
	if (current != TASK_NONE) {
		status = task_states_rename(states, current, prev, err);
		if (status != STATUS_OK)
			return status;
		switch_out(states, event, current, leave_reason_of(states->outs, event->switched.prev_state), step);
	}
	status = find_living(states, &event->switched.next, event->cpu, &next, step, err);
	if (status != STATUS_OK)
		return status;
	if (!states->tasks[next].is_outside)
		switch_in(states, event, cpu, next, step);
	else if (current != TASK_NONE)
		task_cpu_begin_absence(cpu, CPU_OUTSIDE, event->ts_ns);
	cpu->last_ns = event->ts_ns;
	return STATUS_OK;
}

/* Every event names the task that was running when it was recorded. */
static inline enum status check_running(struct task_states *states, const struct sched_event *event,
					struct task_step *step, struct error *err)
{
	uint32_t current = states->cpus[event->cpu].current;

	if (event->common_pid < 0 || (current != TASK_NONE && states->tasks[current].pid == event->common_pid))
		return STATUS_OK;
	const struct sched_task running = {.pid = event->common_pid, .prio = TASK_PRIO_UNKNOWN};
	return set_current(states, event, &running, step, err);
}

/* A sched_wakeup_new creates a new task even if the PID is known; a migration that placed it on a CPU may precede it.
 */
static __attribute__((noinline, cold)) enum status find_born(struct task_states *states,
							     const struct sched_event *event, uint32_t *task,
							     struct error *err)
{
	const struct sched_task *born = &event->wakeup.task;
	uint32_t known = task_states_find(states, born->pid, event->wakeup.target_cpu);
	enum status status;

	if (known != TASK_NONE && states->tasks[known].was_seen) {
		dequeue(states, &states->tasks[known]);
		status = task_states_make(states, born, event->wakeup.target_cpu, task, err);
	} else {
		status = find_task(states, born, event->wakeup.target_cpu, task, err);
	}
	if (status != STATUS_OK)
		return status;
	states->tasks[*task].is_born = true;
	states->tasks[*task].is_outside = false; /* children of followed tasks are followed */
	states->tasks[*task].born_ns = event->ts_ns;
	return STATUS_OK;
}

static enum status step_wakeup(struct task_states *states, const struct sched_event *event, struct task_step *step,
			       struct error *err)
{
	enum status status = reserve_cpu(states, event->wakeup.target_cpu, err);
	uint32_t task;

	if (status == STATUS_OK)
		status = check_running(states, event, step, err);
	if (status == STATUS_OK && event->wakeup.task.pid <= 0)
		return STATUS_OK; /* idle tasks are never woken */
	if (status == STATUS_OK && event->kind == SCHED_WAKEUP)
		status = find_living(states, &event->wakeup.task, event->wakeup.target_cpu, &task, step, err);
	else if (status == STATUS_OK)
		status = find_born(states, event, &task, err);
	if (status != STATUS_OK || states->tasks[task].is_outside)
		return status;
	step->what |= STEP_WAKEUP;
	step->wakeup.task = task;
	step->wakeup.waker = states->cpus[event->cpu].current;
	if (step->wakeup.waker == TASK_NONE && event->common_pid >= 0)
		step->wakeup.waker = task_states_find(states, event->common_pid, event->cpu);
	step->wakeup.target_cpu = event->wakeup.target_cpu;
	step->wakeup.is_new = event->kind == SCHED_WAKEUP_NEW;
	states->tasks[task].was_seen = true;
	enum task_state state = task_state_of(states, &states->tasks[task]);
	if (state == TASK_RUNNING || state == TASK_RUNNABLE) {
		step->what |= STEP_SPURIOUS;
		return STATUS_OK;
	}
	dequeue(states, &states->tasks[task]);
	begin_wait(states, task, event, event->wakeup.target_cpu, step->wakeup.is_new ? WAIT_NEW : WAIT_WAKEUP);
	return STATUS_OK;
}

static enum status step_migration(struct task_states *states, const struct sched_event *event, struct task_step *step,
				  struct error *err)
{
	uint32_t from = event->migrate.from_cpu;
	uint32_t to = event->migrate.to_cpu;
	enum status status = reserve_cpu(states, from > to ? from : to, err);
	uint32_t number;

	if (status == STATUS_OK)
		status = check_running(states, event, step, err);
	if (status == STATUS_OK && event->migrate.task.pid <= 0)
		return STATUS_OK;
	if (status == STATUS_OK)
		status = find_task(states, &event->migrate.task, to, &number, err);
	if (status != STATUS_OK || states->tasks[number].is_outside)
		return status;
	struct task *task = &states->tasks[number];
	enum task_state state = task_state_of(states, task);
	step->what |= STEP_MIGRATION;
	step->migration.task = number;
	step->migration.from_cpu = from;
	step->migration.to_cpu = to;
	step->migration.state = state;
	bool is_elsewhere = state != TASK_UNKNOWN && state != TASK_DEAD && task->cpu != from;
	/* Of followed tasks, an earlier migration may be missing. */
	if (state == TASK_RUNNING || (is_elsewhere && !trace_scope_is_part(states->scope))) {
		step->what |= STEP_MIGRATED_FROM_ELSEWHERE;
		states->faults.migrations_from_elsewhere++;
	}
	if (dequeue(states, task)) {
		enqueue(states, number, to);
		task->wait_migrations++;
	} else if (state != TASK_RUNNING) {
		task->cpu = to;
	}
	return STATUS_OK;
}

static enum status step_set_prio(struct task_states *states, const struct sched_event *event, struct task_step *step,
				 struct error *err)
{
	enum status status = check_running(states, event, step, err);
	uint32_t known = task_states_find(states, event->set_prio.task.pid, event->cpu);
	bool is_whole = known != TASK_NONE && states->tasks[known].prio == event->set_prio.old_prio;

	if (status == STATUS_OK && event->set_prio.task.pid <= 0)
		return STATUS_OK;
	if (status == STATUS_OK)
		status = find_task(states, &event->set_prio.task, event->cpu, &step->prio_task, err);
	if (status != STATUS_OK)
		return status;
	if (is_whole)
		states->tasks[step->prio_task].prio_before_ns = event->ts_ns;
	states->tasks[step->prio_task].prio_was = event->set_prio.old_prio;
	step->what |= STEP_SET_PRIO;
	return STATUS_OK;
}

/* The first event of a CPU above all that had one. */
static __attribute__((noinline, cold)) void note_first(struct task_states *states, const struct sched_event *event)
{
	states->seen_cpus = event->cpu + 1;
	if (states->has_events)
		return;
	states->has_events = true;
	states->first_ns = event->ts_ns;
	if (states->window_ns < event->ts_ns)
		states->window_ns = event->ts_ns;
}

static enum status step_other(struct task_states *states, const struct sched_event *event, struct task_step *step,
			      struct error *err)
{
	enum status status = STATUS_OK;

	if (event->kind == SCHED_WAKEUP || event->kind == SCHED_WAKEUP_NEW)
		status = step_wakeup(states, event, step, err);
	else if (event->kind == SCHED_MIGRATE)
		status = step_migration(states, event, step, err);
	else if (event->kind == SCHED_PI_SETPRIO)
		status = step_set_prio(states, event, step, err);
	states->cpus[event->cpu].last_ns = event->ts_ns;
	return status;
}

enum status task_states_step(struct task_states *states, const struct sched_event *event, struct task_step *step,
			     struct error *err)
{
	enum status status = reserve_cpu(states, event->cpu, err);

	step->what = 0;
	step->slice_count = 0;
	if (status != STATUS_OK)
		return status;
	if (sched_event_is_loss(event)) {
		task_losses_step(states, event, step);
		return STATUS_OK;
	}
	if (states->seen_cpus <= event->cpu)
		note_first(states, event);
	states->last_ns = event->ts_ns;
	if (states->open_gaps && states->cpus[event->cpu].in_gap)
		task_losses_close_gap(states, &states->cpus[event->cpu]);
	return event->kind == SCHED_SWITCH ? step_switch(states, event, step, err)
					   : step_other(states, event, step, err);
}

void task_states_begin(struct task_states *states, struct leave_reason_table *outs, const struct trace_scope *scope)
{
	if (states->has_begun)
		states->run++;
	states->has_begun = true;
	states->has_events = false;
	states->outs = outs;
	states->scope = scope;
	states->first_ns = states->last_ns = states->window_ns = 0;
	states->epoch++;
	states->runnable = 0;
	states->open_gaps = 0;
	states->seen_cpus = 0;
	states->all_start_late = false;
	task_states_forget_tasks(states);
	for (uint32_t i = 0; i < states->cpu_count; i++) {
		struct task_cpu *cpu = &states->cpus[i];
		const struct task_cpu before = *cpu;
		*cpu = (struct task_cpu){
		    .current = TASK_NONE,
		    .runnable_first = TASK_NONE,
		    .idle = TASK_NONE,
		    .stopper = TASK_NONE,
		    .observed_ns = before.observed_ns,
		};
		memcpy(cpu->observed_absent_ns, before.observed_absent_ns, sizeof(cpu->observed_absent_ns));
	}
}

enum status task_states_late_start(struct task_states *states, uint32_t cpu, struct error *err)
{
	enum status status = task_states_reserve_cpu(states, cpu, err);

	if (status != STATUS_OK)
		return status;
	states->cpus[cpu].late_start = true;
	task_losses_open_gap(states, &states->cpus[cpu]);
	return STATUS_OK;
}

void task_states_open_window(struct task_states *states, uint64_t ts_ns)
{
	states->window_ns = ts_ns;
	for (uint32_t i = 0; i < states->cpu_count; i++) {
		struct task_cpu *cpu = &states->cpus[i];
		memset(cpu->absent_ns, 0, sizeof(cpu->absent_ns));
		if (!cpu->seen)
			continue;
		cpu->window_ns = ts_ns;
		if (cpu->since_ns < ts_ns) {
			cpu->since_ns = ts_ns;
			cpu->since_cut = true;
		}
	}
}

bool task_states_end_cpu(struct task_states *states, uint32_t cpu_number, uint64_t ts_ns, struct task_slice *slice)
{
	struct task_cpu *cpu = &states->cpus[cpu_number];
	uint64_t end = ts_ns;

	if (!cpu->seen)
		return false;
	cpu->seen = false;
	if (end < cpu->since_ns)
		end = cpu->since_ns;
	cpu->observed_ns += end - cpu->window_ns;
	task_cpu_end_absence(cpu, end);
	for (int why = 0; why < CPU_ABSENCES; why++)
		cpu->observed_absent_ns[why] += cpu->absent_ns[why];
	if (cpu->current == TASK_NONE)
		return false;
	*slice = (struct task_slice){
	    .task = cpu->current,
	    .comm = states->tasks[cpu->current].comm,
	    .cpu = cpu_number,
	    .out = LEAVE_UNKNOWN,
	    .start_cut = cpu->since_cut,
	    .end_cut = true,
	    .start_ns = cpu->since_ns,
	    .end_ns = end,
	};
	return true;
}
