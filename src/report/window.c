/* SPDX-License-Identifier: MIT */
#include "report/window.h"

#include <stdlib.h>

#include "base/memory.h"
#include "report/chart/chart.h"
#include "rules/virtual_time.h"

struct windows_reading {
	struct report_window *const *windows;
	size_t count;
	uint64_t end_ns; /* end of the last window */
	struct rules rules;
	struct rules_consumer decided;
	const struct pass *pass;
	uint8_t how[REPORT_CPUS_MAX]; /* enum chart_how of the current task of each CPU */
};

struct report_task report_task_of(const struct task_states *states, uint32_t task, uint32_t comm)
{
	struct report_task found = {
	    .comm = states->comms.comms[comm], .pid = states->tasks[task].pid, .task = task, .comm_number = comm};

	for (uint32_t i = 0; i <= task; i++)
		found.number += i == task || states->tasks[i].comm == comm;
	return found;
}

/* The index of the slice's task among the tasks of the window. */
static uint32_t window_task(struct report_window *window, const struct task_slice *slice)
{
	uint32_t i = 0;

	while (i < window->task_count &&
	       (window->tasks[i].task != slice->task || window->tasks[i].comm_number != slice->comm))
		i++;
	if (i == window->task_count) {
		window->tasks =
		    array_grow(window->tasks, &window->task_capacity, window->task_count + 1, sizeof(*window->tasks));
		window->tasks[window->task_count++] =
		    (struct report_task){.task = slice->task, .comm_number = slice->comm};
	}
	return i;
}

static void keep_slice(const struct windows_reading *reading, const struct pass *pass, const struct task_slice *slice,
		       struct report_window *window)
{
	uint64_t start = pass_since_start(pass, slice->start_ns);
	uint64_t end = pass_since_start(pass, slice->end_ns);

	if (end <= window->from_ns || start >= window->to_ns || end == start || window->is_full)
		return;
	window->slices = array_grow(window->slices, &window->capacity, window->count + 1, sizeof(*window->slices));
	window->slices[window->count++] = (struct report_slice){
	    .start_ns = start > window->from_ns ? start : window->from_ns,
	    .end_ns = end < window->to_ns ? end : window->to_ns,
	    .task = window_task(window, slice),
	    .cpu = slice->cpu,
	    .how = slice->cpu < REPORT_CPUS_MAX && start >= window->from_ns ? reading->how[slice->cpu] : 0,
	};
	if (window->count == REPORT_SLICES_MAX && end < window->to_ns) {
		window->is_full = true;
		window->to_ns = end;
	}
}

static enum status take_slice(void *context, const struct pass *pass, const struct task_slice *slice, struct error *err)
{
	const struct windows_reading *reading = context;

	(void)err;
	for (size_t i = 0; i < reading->count && !pass->states.tasks[slice->task].is_idle; i++)
		keep_slice(reading, pass, slice, reading->windows[i]);
	return STATUS_OK;
}

static bool is_followed(const struct report_window *window, const struct task_states *states, uint32_t task)
{
	const struct report_task *followed = &window->followed;

	if (task == TASK_NONE || followed->task != TASK_NONE)
		return task != TASK_NONE && followed->task == task;
	return comm_equal(task_comm(states, task), &followed->comm) &&
	       report_task_of(states, task, states->tasks[task].comm).number == followed->number;
}

/* The candidate of the level that is the followed task, or the group that it is in; RULE_NONE: there is none. */
static uint32_t find_followed(const struct windows_reading *reading, const struct report_window *window,
			      const struct task_states *states, const struct pick_level *pick, bool *is_group)
{
	const struct machine *machine = &reading->rules.machine;

	for (uint32_t i = 0; i < pick->level.count; i++) {
		const uint64_t id = pick->level.entities[i].id;
		const uint32_t task = machine_task_state(machine, states, id);
		*is_group = task == TASK_NONE;
		if (task == TASK_NONE && window->followed.task != TASK_NONE &&
		    machine_has_task(machine, states->tasks[window->followed.task].pid, id))
			return i;
		if (is_followed(window, states, task))
			return i;
	}
	return RULE_NONE;
}

/* Keeps the lag of the followed task, or of the lowest group that it is in. */
static void keep_lag(const struct windows_reading *reading, const struct task_states *states,
		     const struct rule_decision *decision, struct report_window *window)
{
	struct report_lag lag = {.ns = pass_since_start(reading->pass, decision->ts_ns)};
	bool is_known = false;

	for (uint32_t i = 0; i < decision->level_count && window->lag_count < REPORT_LAGS_MAX; i++) {
		const struct pick_level *pick = &decision->levels[i];
		const uint32_t at = find_followed(reading, window, states, pick, &lag.is_group);
		/* The groups of a task that is known by its name only are not known. */
		if (at == RULE_NONE && window->followed.task == TASK_NONE)
			continue;
		if (at == RULE_NONE || pick->gap != PICK_COMPLETE || at == pick->derived ||
		    pick->level.entities[at].is_stale)
			break;
		const struct rule_entity *entity = &pick->level.entities[at];
		const struct virtual_time time = virtual_time_of(&reading->rules.machine.traits, &pick->level);
		lag.lag_ns = virtual_to_cpu(virtual_time_lag(&time, entity->vruntime), entity->weight);
		lag.is_passed = decision->kind != DECISION_WAKEUP && at != decision->picked[i];
		lag.is_broken = lag.is_passed && decision->verdict == VERDICT_BREAKS;
		is_known = true;
		if (lag.is_passed || !lag.is_group)
			break;
	}
	if (!is_known)
		return;
	if (!window->lags)
		window->lags = xcalloc(REPORT_LAGS_MAX, sizeof(*window->lags));
	window->lags[window->lag_count++] = lag;
}

static bool is_inside(const struct report_window *window, uint64_t ns)
{
	return ns >= window->from_ns && ns < window->to_ns;
}

static void keep_decision(void *context, const struct task_states *states, const struct rule_decision *decision)
{
	const struct windows_reading *reading = context;
	const uint64_t ns = pass_since_start(reading->pass, decision->ts_ns);

	for (size_t i = 0; i < reading->count; i++)
		if (reading->windows[i]->follows && is_inside(reading->windows[i], ns))
			keep_lag(reading, states, decision, reading->windows[i]);
	for (size_t i = 0; i < reading->count && decision->kind == DECISION_SWITCH; i++) {
		struct report_window *window = reading->windows[i];
		if (!window->wants_decisions || !is_inside(window, ns))
			continue;
		for (uint32_t k = window->decision_count; k-- > 0;)
			if (window->decisions[k].cpu == decision->cpu) {
				if (window->decisions[k].end_ns > ns)
					window->decisions[k].end_ns = ns;
				break;
			}
		if (window->decision_count == REPORT_DECISIONS_MAX)
			continue;
		if (!window->decisions)
			window->decisions = xcalloc(REPORT_DECISIONS_MAX, sizeof(*window->decisions));
		window->decisions[window->decision_count++] = (struct report_decision){
		    ns, window->to_ns, decision->cpu, report_decision_text(&reading->rules, states, decision, ns)};
	}
}

static enum status begin_windows(void *context, const struct pass *pass, struct error *err)
{
	struct windows_reading *reading = context;

	(void)err;
	reading->pass = pass;
	reading->decided = (struct rules_consumer){.context = reading, .decide = keep_decision};
	rules_begin(&reading->rules, &reading->decided, pass);
	return STATUS_OK;
}

static enum status take_step(void *context, const struct pass *pass, const struct sched_event *event,
			     const struct task_step *step, struct error *err)
{
	struct windows_reading *reading = context;

	const enum status status = rules_step(&reading->rules, pass, event, step, err);
	for (unsigned int i = 0; i < step->slice_count; i++)
		take_slice(context, pass, &step->slices[i], err);
	if (step->changes & STEP_RUN && event->cpu < REPORT_CPUS_MAX)
		reading->how[event->cpu] = 0;
	if (step->changes & STEP_WAIT && step->wait.cpu < REPORT_CPUS_MAX)
		reading->how[step->wait.cpu] = step->wait.cause <= WAIT_NEW ? CHART_WOKEN : 0;
	/* The end of the window cuts slices that still run. */
	return pass_since_start(pass, event->ts_ns) >= reading->end_ns ? STATUS_END : status;
}

enum status report_windows_read(struct report_window *const *windows, size_t count, struct input *input,
				const struct run *run, struct error *err)
{
	const struct pass_options options = {.described = run};
	struct windows_reading *reading = xcalloc(1, sizeof(*reading)); /* too large for a small stack */
	const struct pass_consumer consumer = {
	    .context = reading, .begin = begin_windows, .step = take_step, .cut = take_slice};
	struct pass pass;

	reading->windows = windows;
	reading->count = count;
	for (size_t i = 0; i < count; i++)
		if (windows[i]->to_ns > windows[i]->from_ns && windows[i]->to_ns > reading->end_ns)
			reading->end_ns = windows[i]->to_ns;
	enum status status = pass_read_inputs(&options, input, 1, &consumer, &pass, err);
	for (size_t i = 0; i < count; i++)
		for (uint32_t k = 0; k < windows[i]->task_count; k++) {
			struct report_task *task = &windows[i]->tasks[k];
			*task = report_task_of(&pass.states, task->task, task->comm_number);
		}
	rules_free(&reading->rules);
	free(reading);
	pass_free(&pass);
	return status;
}

void report_window_free(struct report_window *window)
{
	for (uint32_t i = 0; i < window->decision_count; i++)
		free(window->decisions[i].text);
	free(window->decisions);
	free(window->lags);
	free(window->throttling.spans);
	free(window->slices);
	free(window->tasks);
}
