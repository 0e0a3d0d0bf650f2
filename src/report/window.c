/* SPDX-License-Identifier: MIT */
#include "report/window.h"

#include <stdlib.h>

#include "base/memory.h"
#include "measure/run_account.h"
#include "report/chart/chart.h"

struct windows_reading {
	struct report_window *const *windows;
	size_t count;
	uint64_t end_ns; /* of the last one */
	struct rules rules;
	struct rules_consumer decided;
	const struct pass *pass;
	uint8_t how[RUN_ACCOUNT_CPUS]; /* enum chart_how of the current task of each CPU */
};

struct report_task report_task_of(const struct task_states *states, uint32_t task, uint32_t comm)
{
	struct report_task found = {
	    .comm = states->comms.comms[comm], .pid = states->tasks[task].pid, .task = task, .comm_number = comm};

	for (uint32_t i = 0; i <= task; i++)
		found.number += i == task || states->tasks[i].comm == comm;
	return found;
}

/* Its place among the tasks of the window. */
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
	    .how = slice->cpu < RUN_ACCOUNT_CPUS && start >= window->from_ns ? reading->how[slice->cpu] : 0,
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

static void keep_decision(void *context, const struct task_states *states, const struct rule_decision *decision)
{
	const struct windows_reading *reading = context;
	const uint64_t ns = pass_since_start(reading->pass, decision->ts_ns);

	for (size_t i = 0; i < reading->count && decision->kind == DECISION_SWITCH; i++) {
		struct report_window *window = reading->windows[i];
		if (!window->wants_decisions || ns < window->from_ns || ns >= window->to_ns)
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
	if (step->changes & STEP_RUN && event->cpu < RUN_ACCOUNT_CPUS)
		reading->how[event->cpu] = 0;
	if (step->changes & STEP_WAIT && step->wait.cpu < RUN_ACCOUNT_CPUS)
		reading->how[step->wait.cpu] = step->wait.cause <= WAIT_NEW ? CHART_WOKEN : 0;
	/* The end of the window cuts slices that still run. */
	return pass_since_start(pass, event->ts_ns) >= reading->end_ns ? STATUS_END : status;
}

enum status report_windows_read(struct report_window *const *windows, size_t count, struct input *input,
				struct error *err)
{
	struct windows_reading reading = {.windows = windows, .count = count};
	const struct pass_consumer consumer = {
	    .context = &reading, .begin = begin_windows, .step = take_step, .cut = take_slice};
	struct pass pass;

	for (size_t i = 0; i < count; i++)
		if (windows[i]->to_ns > windows[i]->from_ns && windows[i]->to_ns > reading.end_ns)
			reading.end_ns = windows[i]->to_ns;
	enum status status = pass_read_inputs(NULL, input, 1, &consumer, &pass, err);
	for (size_t i = 0; i < count; i++)
		for (uint32_t k = 0; k < windows[i]->task_count; k++) {
			struct report_task *task = &windows[i]->tasks[k];
			*task = report_task_of(&pass.states, task->task, task->comm_number);
		}
	rules_free(&reading.rules);
	pass_free(&pass);
	return status;
}

void report_window_free(struct report_window *window)
{
	for (uint32_t i = 0; i < window->decision_count; i++)
		free(window->decisions[i].text);
	free(window->decisions);
	free(window->slices);
	free(window->tasks);
}
