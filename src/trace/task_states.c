/* SPDX-License-Identifier: MIT */
#include "trace/task_states.h"

#include <string.h>

#include "trace/cpu_hotplug.h"
#include "trace/task_changes.h"
#include "trace/task_lookup.h"

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
	task->wait_wakeups = 0;
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
static uint32_t find_task(struct task_states *states, const struct sched_task *seen, uint32_t cpu)
{
	uint32_t task = task_states_find(states, seen->pid, cpu);

	if (task == TASK_NONE)
		return task_states_make(states, seen, cpu);
	if (states->tasks[task].state != TASK_DEAD)
		task_states_rename(states, task, seen);
	return task;
}

/* Creates a task whose PID is new or was that of a dead task. The kernel follows a PID only until its task ends: the
 * birth of the next task with this PID is recorded only if that task is followed, too. */
static __attribute__((noinline, cold)) uint32_t make_living(struct task_states *states, const struct sched_task *seen,
							    uint32_t cpu, bool replaces_dead, struct task_step *step)
{
	bool is_part = trace_scope_is_part(states->scope);

	if (replaces_dead && !is_part) {
		step->changes |= STEP_ACT_OF_DEAD;
		states->faults.acts_of_dead++;
	}
	uint32_t task = task_states_make(states, seen, cpu);
	if (replaces_dead && is_part)
		states->tasks[task].is_outside = true;
	return task;
}

/* The task named by an event that shows it alive; created if the PID is new or that of a dead task. */
static inline uint32_t find_living(struct task_states *states, const struct sched_task *seen, uint32_t cpu,
				   struct task_step *step)
{
	uint32_t task = task_states_find(states, seen->pid, cpu);

	if (task == TASK_NONE || states->tasks[task].state == TASK_DEAD)
		return make_living(states, seen, cpu, task != TASK_NONE, step);
	task_states_rename(states, task, seen);
	return task;
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

/* The CPU's first event in this run. */
static void begin_cpu(struct task_states *states, const struct sched_event *event, int32_t running,
		      struct task_step *step)
{
	struct task_cpu *cpu = &states->cpus[event->cpu];

	cpu->seen = true;
	if (states->has_losses)
		task_cpu_hide_waiting(cpu, event->ts_ns);
	cpu->since_ns = cpu->window_ns = cpu->late_start || states->all_start_late ? event->ts_ns : states->window_ns;
	/* If a followed task had run here, its switch would be the first event. */
	cpu->absence = trace_scope_is_part(states->scope) ? CPU_OUTSIDE : CPU_UNKNOWN;
	if (!trace_scope_begins_offline(states->scope, event->cpu))
		return;
	cpu->absence = CPU_OFFLINE;
	cpu_hotplug_event(states, event, running, step);
}

/* The task waits for the CPU, so it has not run yet. */
static bool waits_for(const struct task_states *states, uint32_t number, uint32_t cpu)
{
	const struct task *task = &states->tasks[number];

	return !task->is_idle && task_state_of(states, task) == TASK_RUNNABLE && task->cpu == cpu;
}

/* The switch to the running task is missing. It was after the CPU's last event, and after the task became runnable. A
 * CPU that was idle is assumed idle until then. */
static void note_missing_switch(struct task_states *states, const struct sched_event *event, uint32_t before,
				uint32_t number, struct task_step *step)
{
	struct task_cpu *cpu = &states->cpus[event->cpu];
	const struct task *task = &states->tasks[number];
	const bool waited = waits_for(states, number, event->cpu);
	const bool was_idle = before != TASK_NONE && states->tasks[before].is_idle;
	uint64_t since_ns = cpu->last_ns > cpu->since_ns ? cpu->last_ns : cpu->since_ns;

	if (waited && task->since_ns > since_ns)
		since_ns = task->since_ns;
	if (was_idle) {
		step->slices[step->slice_count - 1].end_ns = since_ns;
		cpu->since_ns = since_ns;
		cpu->hides_idle_ends = true;
	}
	task_cpu_begin_absence(cpu, CPU_BETWEEN, since_ns);
	step->changes |= STEP_SWITCH_MISSING;
	step->missing = (struct task_missing_switch){.before = before,
						     .after = number,
						     .cpu = event->cpu,
						     .since_ns = since_ns,
						     .until_ns = event->ts_ns,
						     .ends_wait = waited,
						     .cause = (enum wait_cause)task->cause};
	states->faults.switches_missing++;
	states->faults.idle_ends_missing += was_idle;
}

/* True if only the switch from before (TASK_NONE: unknown) to the running task is missing. */
static bool lacks_switch(const struct task_states *states, const struct task_cpu *cpu, uint32_t before, uint32_t number)
{
	const uint32_t cpu_number = (uint32_t)(cpu - states->cpus);

	if (before != TASK_NONE)
		return states->tasks[number].is_idle || waits_for(states, number, cpu_number);
	if (cpu->last_ns) /* not its first event */
		return cpu->absence == CPU_OUTSIDE;
	return !cpu->late_start && !states->all_start_late && waits_for(states, number, cpu_number);
}

/* Another task than the current one runs on the CPU, which had events before. True if no switch is missing: the current
 * task has a new PID after exec, or the stopper takes the CPU offline. */
static bool is_explained(struct task_states *states, const struct sched_event *event, int32_t running,
			 struct task_step *step)
{
	if (take_pid_by_exec(states, event->cpu, running))
		return true;
	return task_cpu_is_offline(&states->cpus[event->cpu]) && !cpu_hotplug_event(states, event, running, step);
}

/* Ends the slice of the current task, if there is one, at an unknown time, because another task runs. */
static void end_wrong_current(struct task_states *states, const struct sched_event *event, struct task_step *step)
{
	if (states->cpus[event->cpu].current == TASK_NONE)
		return;
	step->changes |= STEP_FROM_OTHER;
	states->faults.switches_from_other++;
	task_losses_end_current(states, event->cpu, step);
}

/* Begins the slice of a task that was found running without a recorded switch. before: the current task until then. At
 * the CPU's first event, a task that was not seen before is assumed to have run from the start. */
static void begin_found(struct task_states *states, const struct sched_event *event, uint32_t before, uint32_t number,
			bool is_first, struct task_step *step)
{
	struct task_cpu *cpu = &states->cpus[event->cpu];
	const struct task *task = &states->tasks[number];

	if (lacks_switch(states, cpu, before, number)) {
		states->faults.switches_from_other += before == TASK_NONE;
		note_missing_switch(states, event, before, number, step);
	}
	bool was_there = is_first && cpu->absence != CPU_OFFLINE && (task->is_idle || !task->was_seen);
	run_task(states, cpu, number, was_there ? cpu->since_ns : event->ts_ns);
	cpu->since_cut = true;
}

/* The known current task was wrong: running becomes the current task. */
static __attribute__((noinline, cold)) void set_current(struct task_states *states, const struct sched_event *event,
							const struct sched_task *running, struct task_step *step)
{
	struct task_cpu *cpu = &states->cpus[event->cpu];
	const bool is_first = !cpu->seen;

	if (is_first)
		begin_cpu(states, event, running->pid, step);
	else if (is_explained(states, event, running->pid, step))
		return;
	const uint32_t before = cpu->current;
	end_wrong_current(states, event, step);
	uint32_t task = find_living(states, running, event->cpu, step);
	if (!states->tasks[task].is_outside)
		begin_found(states, event, before, task, is_first, step);
	else if (cpu->absence != CPU_OUTSIDE)
		task_cpu_begin_absence(cpu, CPU_OUTSIDE, event->ts_ns);
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
	/* Keep the state if the task has started on another CPU meanwhile. */
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

/* An interrupt ends the idling of a CPU sooner after a wakeup. */
#define IDLE_WAIT_MAX_NS UINT64_C(2000000)

/* See STEP_WAIT_FALSE. A task that has moved may have waited elsewhere, and the events of one CPU are in order. */
static inline bool is_false_wait(const struct task_states *states, const struct task_cpu *cpu, const struct task *task,
				 uint64_t ts_ns)
{
	if (task->cause != WAIT_WAKEUP && task->cause != WAIT_NEW)
		return false;
	if (task->wait_wakeups && task->cause == WAIT_WAKEUP)
		return true;
	if (!states->clocks_differ || task->wait_migrations || &states->cpus[task->waking_cpu] == cpu)
		return false;
	if (cpu->current == TASK_NONE || cpu->current != cpu->idle || cpu->hides_idle_ends)
		return false;
	const uint64_t since_ns = cpu->since_ns > task->since_ns ? cpu->since_ns : task->since_ns;
	return ts_ns > since_ns && ts_ns - since_ns > IDLE_WAIT_MAX_NS;
}

static inline void end_wait(struct task_states *states, const struct task_cpu *cpu, uint32_t number,
			    const struct sched_event *event, struct task_step *step)
{
	const struct task *task = &states->tasks[number];
	const bool is_false = is_false_wait(states, cpu, task, event->ts_ns);

	states->faults.false_waits += is_false;
	step->changes |= is_false ? STEP_WAIT_FALSE : STEP_WAIT;
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

	if (task->is_idle)
		task_cpu_show_waiting(states, cpu, event->ts_ns);
	switch (task->is_idle ? TASK_DEAD : task_state_of(states, task)) {
	case TASK_UNKNOWN:
		step->changes |= states->has_losses ? STEP_WAIT_LOST : 0;
		break;
	case TASK_RUNNABLE:
		end_wait(states, cpu, number, event, step);
		break;
	case TASK_RUNNING:
		step->changes |= STEP_ON_TWO_CPUS;
		states->faults.on_two_cpus++;
		break;
	case TASK_SLEEPING:
		if (cpu_hotplug_hides_wakeups(states))
			break;
		step->changes |= STEP_WITHOUT_WAKEUP;
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
	step->changes |= STEP_RUN;
	step->started = number;
}

static void step_switch(struct task_states *states, const struct sched_event *event, struct task_step *step)
{
	const struct sched_task *prev = &event->switched.prev;
	struct task_cpu *cpu = &states->cpus[event->cpu];
	uint32_t current = cpu->current;

	if (current == TASK_NONE || (prev->pid >= 0 && states->tasks[current].pid != prev->pid)) {
		set_current(states, event, prev, step);
		current = cpu->current;
	}
	if (current != TASK_NONE) {
		task_states_rename(states, current, prev);
		switch_out(states, event, current, leave_reason_of(states->leave_reasons, event->switched.prev_state),
			   step);
	}
	uint32_t next = find_living(states, &event->switched.next, event->cpu, step);
	if (!states->tasks[next].is_outside)
		switch_in(states, event, cpu, next, step);
	else if (current != TASK_NONE)
		task_cpu_begin_absence(cpu, CPU_OUTSIDE, event->ts_ns);
	cpu->last_ns = event->ts_ns;
}

/* Every event names the task that was running when it was recorded. */
static inline bool is_of_current(const struct task_states *states, const struct sched_event *event)
{
	uint32_t current = states->cpus[event->cpu].current;

	return event->common_pid < 0 || (current != TASK_NONE && states->tasks[current].pid == event->common_pid);
}

static inline void check_running(struct task_states *states, const struct sched_event *event, struct task_step *step)
{
	if (is_of_current(states, event))
		return;
	const struct sched_task running = {.pid = event->common_pid, .prio = TASK_PRIO_UNKNOWN};
	set_current(states, event, &running, step);
}

/* A sched_wakeup_new creates a new task even if the PID is known; a migration that placed it on a CPU may precede it.
 */
static __attribute__((noinline, cold)) uint32_t find_born(struct task_states *states, const struct sched_event *event)
{
	const struct sched_task *born = &event->wakeup.task;
	uint32_t task = task_states_find(states, born->pid, event->wakeup.target_cpu);

	if (task != TASK_NONE && states->tasks[task].was_seen) {
		dequeue(states, &states->tasks[task]);
		task = task_states_make(states, born, event->wakeup.target_cpu);
	} else {
		task = find_task(states, born, event->wakeup.target_cpu);
	}
	states->tasks[task].is_born = true;
	states->tasks[task].is_outside = false; /* children of followed tasks are followed */
	states->tasks[task].born_ns = event->ts_ns;
	return task;
}

static void step_wakeup(struct task_states *states, const struct sched_event *event, struct task_step *step)
{
	check_running(states, event, step);
	if (event->wakeup.task.pid <= 0)
		return; /* idle tasks are never woken */
	uint32_t task = event->kind == SCHED_WAKEUP
			    ? find_living(states, &event->wakeup.task, event->wakeup.target_cpu, step)
			    : find_born(states, event);
	if (states->tasks[task].is_outside)
		return;
	step->changes |= STEP_WAKEUP;
	step->wakeup.task = task;
	step->wakeup.waker = states->cpus[event->cpu].current;
	if (step->wakeup.waker == TASK_NONE && event->common_pid >= 0)
		step->wakeup.waker = task_states_find(states, event->common_pid, event->cpu);
	step->wakeup.target_cpu = event->wakeup.target_cpu;
	step->wakeup.is_new = event->kind == SCHED_WAKEUP_NEW;
	states->tasks[task].was_seen = true;
	enum task_state state = task_state_of(states, &states->tasks[task]);
	if (state == TASK_RUNNING || state == TASK_RUNNABLE) {
		step->changes |= STEP_SPURIOUS;
		states->tasks[task].wait_wakeups += event->kind == SCHED_WAKEUP;
		return;
	}
	dequeue(states, &states->tasks[task]);
	begin_wait(states, task, event, event->wakeup.target_cpu, step->wakeup.is_new ? WAIT_NEW : WAIT_WAKEUP);
}

static void step_migration(struct task_states *states, const struct sched_event *event, struct task_step *step)
{
	uint32_t from = event->migrate.from_cpu;
	uint32_t to = event->migrate.to_cpu;

	check_running(states, event, step);
	if (event->migrate.task.pid <= 0)
		return;
	uint32_t number = find_task(states, &event->migrate.task, to);
	struct task *task = &states->tasks[number];
	if (task->is_outside)
		return;
	enum task_state state = task_state_of(states, task);
	step->changes |= STEP_MIGRATION;
	step->migration.task = number;
	step->migration.from_cpu = from;
	step->migration.to_cpu = to;
	step->migration.state = state;
	bool is_elsewhere = state != TASK_UNKNOWN && state != TASK_DEAD && task->cpu != from;
	/* An earlier migration of a followed task may be missing. */
	if (state == TASK_RUNNING || (is_elsewhere && !trace_scope_is_part(states->scope))) {
		step->changes |= STEP_MIGRATED_FROM_ELSEWHERE;
		states->faults.migrations_from_elsewhere++;
	}
	if (dequeue(states, task)) {
		enqueue(states, number, to);
		task->wait_migrations++;
	} else if (state != TASK_RUNNING) {
		task->cpu = to;
		if (state == TASK_UNKNOWN && states->has_losses)
			task_cpu_hide_waiting(&states->cpus[to], event->ts_ns);
	}
}

static void step_set_prio(struct task_states *states, const struct sched_event *event, struct task_step *step)
{
	check_running(states, event, step);
	uint32_t known = task_states_find(states, event->set_prio.task.pid, event->cpu);
	bool is_whole = known != TASK_NONE && states->tasks[known].prio == event->set_prio.old_prio;

	if (event->set_prio.task.pid <= 0)
		return;
	step->prio_task = find_task(states, &event->set_prio.task, event->cpu);
	if (is_whole)
		states->tasks[step->prio_task].prio_before_ns = event->ts_ns;
	states->tasks[step->prio_task].prio_was = event->set_prio.old_prio;
	step->changes |= STEP_SET_PRIO;
}

/* The first event of a CPU with a number above all CPUs seen so far. */
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

/* For all other kinds of events: the event shows that an idle CPU has begun to run a task from its queue. It shows
 * nothing else about the running task, because some events are written in the middle of a switch. */
static void narrow_idle_end(struct task_states *states, const struct sched_event *event, struct task_step *step)
{
	const struct task_cpu *cpu = &states->cpus[event->cpu];

	if (event->common_pid <= 0 || cpu->runnable == 0 || cpu->current == TASK_NONE || cpu->current != cpu->idle)
		return;
	uint32_t task = task_states_find(states, event->common_pid, event->cpu);
	if (task != TASK_NONE && waits_for(states, task, event->cpu))
		check_running(states, event, step);
}

/* The charged task may be on another CPU, for example before a wakeup there. */
static void step_stat_runtime(struct task_states *states, const struct sched_event *event, struct task_step *step)
{
	if (event->stat_runtime.pid == event->common_pid)
		check_running(states, event, step);
	else
		narrow_idle_end(states, event, step);
}

static void step_other(struct task_states *states, const struct sched_event *event, struct task_step *step)
{
	if (event->kind == SCHED_WAKEUP || event->kind == SCHED_WAKEUP_NEW)
		step_wakeup(states, event, step);
	else if (event->kind == SCHED_MIGRATE)
		step_migration(states, event, step);
	else if (event->kind == SCHED_PI_SETPRIO)
		step_set_prio(states, event, step);
	else if (event->kind == SCHED_STAT_RUNTIME)
		step_stat_runtime(states, event, step);
	else
		narrow_idle_end(states, event, step);
	/* If the event is not of the current task, the switch to its task may be missing. It was before this event:
	 * keep last_ns. */
	if (states->cpus[event->cpu].current != TASK_NONE && !is_of_current(states, event))
		return;
	states->cpus[event->cpu].last_ns = event->ts_ns;
}

/* The highest CPU that the event names. */
static inline uint32_t highest_cpu(const struct sched_event *event)
{
	uint32_t cpu = event->cpu;

	if (event->kind == SCHED_WAKEUP || event->kind == SCHED_WAKEUP_NEW)
		return cpu > event->wakeup.target_cpu ? cpu : event->wakeup.target_cpu;
	if (event->kind != SCHED_MIGRATE)
		return cpu;
	cpu = cpu > event->migrate.from_cpu ? cpu : event->migrate.from_cpu;
	return cpu > event->migrate.to_cpu ? cpu : event->migrate.to_cpu;
}

enum status task_states_step(struct task_states *states, const struct sched_event *event, struct task_step *step,
			     struct error *err)
{
	uint32_t cpu = highest_cpu(event);
	enum status status = cpu < states->cpu_count ? STATUS_OK : task_states_reserve_cpu(states, cpu, err);

	step->changes = 0;
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
		task_losses_close_gap(states, &states->cpus[event->cpu], event->ts_ns);
	if (event->kind == SCHED_SWITCH)
		step_switch(states, event, step);
	else
		step_other(states, event, step);
	return STATUS_OK;
}

void task_states_begin(struct task_states *states, struct leave_reason_table *leave_reasons,
		       const struct trace_scope *scope)
{
	if (states->has_begun)
		states->run++;
	states->has_begun = true;
	states->has_events = false;
	states->leave_reasons = leave_reasons;
	states->scope = scope;
	states->names = (struct running_names){.find = NULL};
	states->clocks_differ = false;
	states->first_ns = states->last_ns = states->window_ns = 0;
	states->epoch++;
	states->runnable = 0;
	states->open_gaps = 0;
	states->has_losses = false;
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
		    .observed_hidden_ns = before.observed_hidden_ns,
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
	task_losses_open_gap(states, &states->cpus[cpu], 0);
	return STATUS_OK;
}

void task_states_open_window(struct task_states *states, uint64_t ts_ns)
{
	states->window_ns = ts_ns;
	for (uint32_t i = 0; i < states->cpu_count; i++) {
		struct task_cpu *cpu = &states->cpus[i];
		memset(cpu->absent_ns, 0, sizeof(cpu->absent_ns));
		cpu->hidden_ns = 0;
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
	cpu->observed_hidden_ns += cpu->hidden_ns + task_cpu_hides_for(cpu, end);
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
