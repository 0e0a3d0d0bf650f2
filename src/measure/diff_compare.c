/* SPDX-License-Identifier: MIT */
#include "measure/trace_diff.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/own_tasks.h"
#include "measure/diff_cursor.h"

/* Tasks created by this event start at its time. */
static void note_starts(struct trace_diff *diff, const struct pass *pass, uint64_t ts_ns)
{
	uint32_t count = pass->states.task_count;

	if (count > diff->start_capacity)
		diff->starts_ns = array_grow(diff->starts_ns, &diff->start_capacity, count, sizeof(*diff->starts_ns));
	while (diff->start_count < count)
		diff->starts_ns[diff->start_count++] = ts_ns;
}

/* A task of the workload, by its current name or by descent. A workload command counts from its exec on. */
static bool is_of_workload(const struct trace_diff *diff, const struct task_states *states, uint32_t number)
{
	const struct task *task = &states->tasks[number];
	const char *names = diff->workloads[task->run != 0].task_names;

	if (names)
		return !task->is_idle && comm_is_one_of(&states->comms.comms[task->comm], names);
	return descendants_has(&diff->descendants, number) &&
	       !comm_is_one_of(&states->comms.comms[task->comm], OWN_TASK_COMMAND);
}

/* True if a task of the workload runs on the event's CPU, or ran there until the event. */
static bool shows_workload(const struct trace_diff *diff, const struct pass *pass, const struct sched_event *event,
			   const struct task_step *step)
{
	const struct task_states *states = &pass->states;

	for (uint32_t i = 0; i < step->slice_count; i++)
		if (is_of_workload(diff, states, step->slices[i].task))
			return true;
	uint32_t current = event->cpu < states->cpu_count ? states->cpus[event->cpu].current : TASK_NONE;
	return current != TASK_NONE && is_of_workload(diff, states, current);
}

static enum status begin_trace(void *context, const struct pass *pass, struct error *err)
{
	struct trace_diff *diff = context;
	const struct diff_workload *workload = &diff->workloads[pass->run.number];

	(void)err;
	diff->descendants.roots = workload->roots;
	diff->descendants.root_count = workload->root_count;
	return STATUS_OK;
}

static enum status count_event(void *context, const struct pass *pass, const struct sched_event *event,
			       const struct task_step *step, struct error *err)
{
	struct trace_diff *diff = context;
	uint32_t run = pass->run.number;

	(void)err;
	/* Tasks of the time before the window exist for its whole duration. */
	note_starts(diff, pass, diff->runs[run].has_events ? event->ts_ns : 0);
	descendants_step(&diff->descendants, &pass->states, step);
	diff->runs[run].first_ns = pass->run.first_ns;
	if (diff->workload_only && !shows_workload(diff, pass, event, step))
		return STATUS_OK;
	if (!diff->runs[run].has_events)
		diff->runs[run].from_ns = event->ts_ns;
	diff->runs[run].has_events = true;
	diff->runs[run].to_ns = event->ts_ns;
	if (diff_wants(diff, event) && event->cpu < TASK_CPUS_MAX)
		diff->runs[run].counts[event->cpu]++;
	return STATUS_OK;
}

static void match_tasks(struct trace_diff *diff)
{
	const struct task_states *states = &diff->pass.states;
	bool *is_wanted = xcalloc((size_t)states->task_count + 1, sizeof(*is_wanted));

	for (uint32_t task = 0; task < states->task_count; task++)
		is_wanted[task] = !diff->workload_only || is_of_workload(diff, states, task);
	task_match_make(states, diff->starts_ns, is_wanted, &diff->match);
	free(is_wanted);
}

static enum status note_scheduler(void *context, const struct pass *pass, struct error *err)
{
	struct trace_diff *diff = context;
	const struct trace_quality *quality = &pass->trace.quality;
	uint32_t run = pass->run.number;

	(void)err;
	diff->runs[run].has_scheduler = quality->has_scheduler;
	if (quality->has_scheduler && quality->scheduler.is_enabled)
		snprintf(diff->runs[run].scheduler, sizeof(diff->runs[run].scheduler), "%s", quality->scheduler.ops);
	return STATUS_OK;
}

static uint64_t since(const struct trace_diff *diff, int run, uint64_t ts_ns)
{
	return ts_ns - diff->runs[run].from_ns;
}

/* Compares the times of the two cursors, which are at the same position. */
static void note_times(struct trace_diff *diff, const struct diff_cursor cursors[2])
{
	uint64_t times[2];

	for (int i = 0; i < 2; i++)
		times[i] = since(diff, i, cursors[i].event.ts_ns);
	uint64_t drift = times[0] > times[1] ? times[0] - times[1] : times[1] - times[0];
	if (drift > diff->drift_max_ns)
		diff->drift_max_ns = drift;
	if (cursors[0].event.ts_ns != cursors[1].event.ts_ns)
		diff->times_differ = true;
}

static void note_divergence(struct diff_cpu *cpu, const struct diff_cursor cursors[2])
{
	struct diff_divergence *divergence = &cpu->divergence;

	cpu->diverged = true;
	divergence->is_pick = diff_cursors_part(&cursors[0], &cursors[1]);
	for (int i = 0; i < 2; i++) {
		struct buffer words = {0};
		divergence->has[i] = !cursors[i].is_over;
		if (!divergence->has[i])
			continue;
		divergence->ts_ns[i] = cursors[i].event.ts_ns;
		diff_cursor_words(&cursors[i], &words);
		snprintf(divergence->words[i], sizeof(divergence->words[i]), "%s", words.data ? words.data : "");
		buffer_free(&words);
	}
}

/* Reads both traces up to the first difference. */
static enum status read_prefix(struct trace_diff *diff, struct diff_cursor cursors[2], struct diff_cpu *cpu,
			       struct error *err)
{
	for (;; cpu->prefix++) {
		for (int run = 0; run < 2; run++) {
			enum status status = diff_cursor_next(&cursors[run], err);
			if (status != STATUS_OK && status != STATUS_END)
				return status;
		}
		if (cursors[0].is_over && cursors[1].is_over)
			return STATUS_OK;
		if (cursors[0].is_over || cursors[1].is_over || cursors[0].symbol != cursors[1].symbol)
			break;
		note_times(diff, cursors);
	}
	note_divergence(cpu, cursors);
	return STATUS_OK;
}

static enum status count_rest(struct diff_cursor *cursor, struct error *err)
{
	enum status status;

	while ((status = diff_cursor_next(cursor, err)) == STATUS_OK)
		;
	return status == STATUS_END ? STATUS_OK : status;
}

static enum status compare_cpu(struct trace_diff *diff, struct diff_cpu *cpu, struct error *err)
{
	struct diff_cursor cursors[2] = {0};
	enum status status = STATUS_OK;

	for (int run = 0; run < 2 && status == STATUS_OK; run++)
		status = diff_cursor_open(diff, run, cpu->cpu, &cursors[run], err);
	if (status == STATUS_OK)
		status = read_prefix(diff, cursors, cpu, err);
	for (int run = 0; run < 2; run++) {
		if (status == STATUS_OK && !diff->first_only)
			status = count_rest(&cursors[run], err);
		cpu->events[run] = cursors[run].read;
		diff_cursor_close(&cursors[run]);
	}
	return status;
}

/* The time of the first different event; if one trace has ended, of the next event of the other. */
static uint64_t divergence_time(const struct trace_diff *diff, const struct diff_cpu *cpu)
{
	uint64_t earliest = UINT64_MAX;

	for (int i = 0; i < 2; i++)
		if (cpu->divergence.has[i] && since(diff, i, cpu->divergence.ts_ns[i]) < earliest)
			earliest = since(diff, i, cpu->divergence.ts_ns[i]);
	return earliest;
}

static bool has_cpu(const struct trace_diff *diff, uint32_t cpu)
{
	return diff->runs[0].counts[cpu] || diff->runs[1].counts[cpu];
}

static void choose_cpus(struct trace_diff *diff)
{
	uint32_t count = 0;

	for (uint32_t cpu = 0; cpu < TASK_CPUS_MAX; cpu++)
		count += has_cpu(diff, cpu);
	diff->cpus = xcalloc((size_t)count + 1, sizeof(*diff->cpus));
	for (uint32_t cpu = 0; cpu < TASK_CPUS_MAX; cpu++)
		if (has_cpu(diff, cpu))
			diff->cpus[diff->cpu_count++].cpu = cpu;
}

static enum status compare_cpus(struct trace_diff *diff, struct error *err)
{
	enum status status = STATUS_OK;

	choose_cpus(diff);
	for (uint32_t i = 0; i < diff->cpu_count && status == STATUS_OK; i++) {
		struct diff_cpu *cpu = &diff->cpus[i];
		status = compare_cpu(diff, cpu, err);
		if (cpu->diverged && (!diff->first || divergence_time(diff, cpu) < divergence_time(diff, diff->first)))
			diff->first = cpu;
	}
	return status;
}

static enum status check_any(const struct trace_diff *diff, struct error *err)
{
	const char *option = diff->tasks_wanted->comms.count ? "--comm" : diff->window->cpus ? "--cpu" : "diff";

	if (diff->cpu_count)
		return STATUS_OK;
	if (diff->workload_only)
		option = "diff";
	return error_set(err, STATUS_USAGE, option, "nothing to compare: neither trace has such %s%s",
			 diff->all_events ? "an event" : "a switch", diff->workload_only ? " of the workload" : "");
}

enum status diff_compare(struct trace_diff *diff, struct error *err)
{
	const struct pass_consumer consumer = {
	    .context = diff, .begin = begin_trace, .step = count_event, .end = note_scheduler, .warn = diff->warn};

	for (int run = 0; run < 2; run++)
		diff->runs[run].counts = xcalloc(TASK_CPUS_MAX, sizeof(uint64_t));
	enum status status = pass_read_inputs(diff->window, diff->inputs, 2, &consumer, &diff->pass, err);
	if (status == STATUS_OK) {
		match_tasks(diff);
		status = compare_cpus(diff, err);
	}
	return status == STATUS_OK ? check_any(diff, err) : status;
}

void trace_diff_free(struct trace_diff *diff)
{
	for (int run = 0; run < 2; run++) {
		free(diff->runs[run].counts);
		input_close(&diff->inputs[run]);
	}
	task_match_free(&diff->match);
	descendants_free(&diff->descendants);
	free(diff->starts_ns);
	free(diff->cpus);
	pass_free(&diff->pass);
}

static enum status read_lines(struct trace_diff *diff, struct diff_context *context, uint32_t wanted, int run,
			      struct error *err)
{
	struct diff_cursor cursor;
	const uint64_t prefix = diff->first->prefix;
	enum status status = diff_cursor_open(diff, run, diff->first->cpu, &cursor, err);

	context->before = prefix < wanted ? (uint32_t)prefix : wanted;
	while (status == STATUS_OK && context->counts[run] < context->before + wanted) {
		status = diff_cursor_next(&cursor, err);
		if (status != STATUS_OK || cursor.read + context->before <= prefix)
			continue;
		context->lines[run][context->counts[run]++] =
		    (struct diff_context_line){cursor.event.ts_ns, cursor.read, cursor.symbol, context->texts.length};
		diff_cursor_words(&cursor, &context->texts);
		buffer_add(&context->texts, "", 1);
	}
	diff_cursor_close(&cursor);
	return status == STATUS_END ? STATUS_OK : status;
}

enum status diff_context_read(struct trace_diff *diff, uint32_t size, struct diff_context **context, struct error *err)
{
	enum status status = STATUS_OK;

	*context = xcalloc(1, sizeof(**context));
	for (int run = 0; run < 2 && status == STATUS_OK; run++)
		status = read_lines(diff, *context, size, run, err);
	if (status == STATUS_OK &&
	    ((*context)->counts[0] < (*context)->before || (*context)->counts[1] < (*context)->before))
		return error_set(err, STATUS_CORRUPT, "diff", "a trace changed while it was read");
	return status;
}

void diff_context_free(struct diff_context *context)
{
	if (context)
		buffer_free(&context->texts);
	free(context);
}
