/* SPDX-License-Identifier: MIT */
#include "trace/pass.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cpu_list.h"
#include "base/file.h"
#include "base/interrupt.h"
#include "base/memory.h"
#include "runs/run_list.h"
#include "trace/input.h"

/* The trace that is read if no operand is given. */
#define DEFAULT_TRACE "picknext.dat"

static enum status begin_pass(const struct pass_options *options, const struct pass_consumer *consumer,
			      struct pass *pass, struct error *err)
{
	static const struct pass_options whole = {0};
	cpu_set_t cpus;

	*pass = (struct pass){.consumer = consumer};
	pass->options = options = options ? options : &whole;
	pass->all_cpus = !options->cpus;
	pass->from_ns = (uint64_t)(options->from * 1e9 + 0.5);
	pass->to_ns = options->to > 0 ? (uint64_t)(options->to * 1e9 + 0.5) : UINT64_MAX;
	pass->has_end = pass->to_ns != UINT64_MAX || options->to_mark;
	if (pass->from_ns >= pass->to_ns)
		return error_set(err, STATUS_USAGE, NULL, "--from must be before --to");
	if (!options->cpus)
		return STATUS_OK;
	if (!cpu_list_parse(options->cpus, &cpus) || CPU_COUNT(&cpus) == 0)
		return error_set(err, STATUS_USAGE, "--cpu", "'%s' is not a list of CPUs, such as 0,2-3",
				 options->cpus);
	for (unsigned int cpu = 0; cpu < CPU_SETSIZE; cpu++)
		if (CPU_ISSET(cpu, &cpus))
			pass->cpu_set[cpu / 64] |= UINT64_C(1) << cpu % 64;
	return STATUS_OK;
}

static bool is_mark(const struct sched_event *event, const char *text)
{
	return event->kind == SCHED_MARK && event->mark.length == strlen(text) &&
	       memcmp(event->mark.text, text, event->mark.length) == 0;
}

/* Opens or closes the window if this event is the first in it or the first after it. */
static void find_window(struct pass *pass, const struct sched_event *event)
{
	const struct pass_options *options = pass->options;
	uint64_t since = event->ts_ns - pass->run.first_ns;

	if (sched_event_is_loss(event))
		return;
	if (!pass->is_open) {
		bool is_due = since >= pass->from_ns && since < pass->to_ns;
		if (is_due && (!options->from_mark || is_mark(event, options->from_mark))) {
			pass->is_open = true;
			task_states_open_window(&pass->states,
						options->from_mark ? event->ts_ns : pass->run.first_ns + pass->from_ns);
		}
		return;
	}
	if (since < pass->to_ns && !(options->to_mark && is_mark(event, options->to_mark)))
		return;
	pass->is_over = true;
	pass->end_ns = since < pass->to_ns ? event->ts_ns : pass->run.first_ns + pass->to_ns;
}

static void move_window(struct pass *pass, const struct sched_event *event)
{
	bool was_open = pass->is_open;

	find_window(pass, event);
	if (pass->is_open && !was_open)
		trace_watch_open(&pass->trace, &pass->states);
}

static enum status step_event(struct pass *pass, const struct sched_event *event, struct error *err)
{
	struct task_step result;

	/* In most passes, the window ends with the trace. */
	if (!pass->is_open || pass->has_end) {
		move_window(pass, event);
		if (pass->is_over)
			return STATUS_END;
	}
	pass->run.has_wakeups = pass->run.has_wakeups || event->kind == SCHED_WAKEUP;
	if (pass->is_open)
		trace_watch_step(&pass->trace, &pass->states, event);
	enum status status = task_states_step(&pass->states, event, &result, err);
	if (status != STATUS_OK || !pass->is_open)
		return status;
	status = pass->consumer->step(pass->consumer->context, pass, event, &result, err);
	pass->summary.is_of_part |= status == STATUS_END;
	return status;
}

static enum status read_events(struct pass *pass, struct input *input, struct error *err)
{
	struct sched_event event;
	bool has_first = false;
	enum status status;

	while ((status = sched_source_next(pass->run.source, &event, err)) == STATUS_OK) {
		status = input_step(input, err);
		if (status != STATUS_OK)
			return status;
		if (!has_first && event.kind != SCHED_LOST) {
			has_first = true;
			pass->run.first_ns = pass->trace.first_ns = event.ts_ns;
		}
		status = step_event(pass, &event, err);
		if (status == STATUS_OK)
			continue;
		if (status != STATUS_END && err && !err->where[0])
			snprintf(err->where, sizeof(err->where), "%.500s", pass->run.path);
		return status == STATUS_END ? STATUS_OK : status;
	}
	return status == STATUS_END ? STATUS_OK : status;
}

static enum status end_cpus(struct pass *pass, struct error *err)
{
	struct task_states *states = &pass->states;
	uint64_t end = pass->is_over ? pass->end_ns : states->last_ns;
	uint32_t seen = 0;
	struct task_slice slice;
	enum status status = STATUS_OK;

	for (uint32_t cpu = 0; cpu < states->cpu_count && status == STATUS_OK; cpu++) {
		seen += states->cpus[cpu].seen;
		if (task_states_end_cpu(states, cpu, end, &slice) && pass->consumer->cut)
			status = pass->consumer->cut(pass->consumer->context, pass, &slice, err);
	}
	if (pass->summary.cpus < seen)
		pass->summary.cpus = seen;
	pass->summary.duration_ns += end - states->window_ns;
	return status;
}

/* Adds the losses of the whole trace, also those before its first events. */
static void add_losses(struct pass_summary *summary, const struct sched_source *source)
{
	struct losses losses = {0};

	sched_source_losses(source, &losses);
	for (size_t i = 0; i < losses.count; i++) {
		const struct loss *loss = &losses.items[i];
		summary->lost_events += loss->events;
		summary->lost_places += loss->places ? loss->places : 1;
		summary->lost_unknown = summary->lost_unknown || loss->events == 0;
	}
	summary->lost_events += sched_source_overwritten(source);
	summary->lossy_runs += losses.count > 0 || sched_source_overwritten(source) > 0;
	losses_free(&losses);
}

/* Adds those within the window. */
static void add_window_losses(struct pass_summary *summary, const struct trace_quality *quality)
{
	const uint64_t events = quality->lost_events + quality->dropped_events;
	const uint64_t places = quality->lost_places + quality->open_gaps;

	summary->lost_events += events;
	summary->lost_places += places;
	summary->lost_unknown = summary->lost_unknown || !quality_counts_losses(quality);
	summary->lossy_runs += events || places;
}

/* Call it after trace_watch_end(). */
static void summarize_losses(struct pass *pass, const struct input *input)
{
	struct pass_summary *summary = &pass->summary;
	const struct sched_source *source = pass->run.source;
	uint64_t max_ns;

	summary->runs++;
	summary->wakeless_runs += !pass->run.has_wakeups && !pass->is_over;
	if (pass->is_over || !pass_begins_with_trace(pass))
		add_window_losses(summary, &pass->trace.quality);
	else
		add_losses(summary, source);
	summary->followed_runs += trace_scope_is_part(sched_source_scope(source));
	summary->truncated_runs += input->kind == INPUT_DAT && input->trace.truncated;
	summary->malformed_lines += sched_source_malformed(source);
	summary->backward_events += sched_source_backwards(source, &max_ns);
	if (summary->backward_max_ns < max_ns)
		summary->backward_max_ns = max_ns;
}

static void summarize_grade(struct pass *pass)
{
	struct quality_finding findings[QUALITY_FINDINGS + 1];
	size_t count = QUALITY_FINDINGS;

	quality_judge(&pass->trace.quality, findings);
	if (pass->consumer->judge)
		pass->consumer->judge(pass, &findings[count++]);
	const struct quality_finding *worst = quality_worst(findings, count);
	pass->summary.untrusted_runs += worst->grade == QUALITY_BAD;
	if (worst->grade <= pass->summary.grade)
		return;
	pass->summary.grade = worst->grade;
	pass->summary.worst = *worst;
	pass->summary.worst_run = pass->run.number;
}

static enum status no_window(const struct pass *pass, struct error *err)
{
	const struct pass_options *options = pass->options;

	if (options->from_mark) {
		error_set(err, STATUS_USAGE, pass->run.path, "has no mark '%s' to start from", options->from_mark);
		return error_remedy(err, "picknext export FILE | grep tracing_mark_write lists its marks");
	}
	if (!pass->states.has_events)
		return error_set(err, STATUS_UNSUPPORTED, pass->run.path, "has no events");
	return error_set(err, STATUS_USAGE, NULL, "--from is after the end of %s, which is %.6f s long", pass->run.path,
			 (double)(pass->states.last_ns - pass->states.first_ns) / 1e9);
}

/* Notes all CPUs of the trace, including those without events. */
static void note_cpus(struct pass *pass, const struct input *input)
{
	for (uint32_t cpu = 0; cpu < pass->states.cpu_count && cpu < CPU_SETSIZE; cpu++)
		if (pass->states.cpus[cpu].seen)
			CPU_SET(cpu, &pass->cpus);
	for (size_t i = 0; input->kind == INPUT_DAT && i < input->trace.cpu_count; i++)
		if (input->trace.cpus[i].cpu < CPU_SETSIZE)
			CPU_SET(input->trace.cpus[i].cpu, &pass->cpus);
}

/* STATUS_USAGE if no trace has a wanted CPU. */
static enum status check_cpus(const struct pass *pass, struct error *err)
{
	char text[512];

	for (unsigned int cpu = 0; cpu < CPU_SETSIZE; cpu++)
		if (CPU_ISSET(cpu, &pass->cpus) && pass_wants_cpu(pass, cpu))
			return STATUS_OK;
	if (pass->all_cpus || CPU_COUNT(&pass->cpus) == 0)
		return STATUS_OK;
	cpu_list_text(&pass->cpus, text, sizeof(text));
	return error_set(err, STATUS_USAGE, "--cpu", "'%s': the trace%s CPUs %s", pass->options->cpus,
			 pass->summary.runs == 1 ? " has" : "s have", text);
}

static enum status end_run(struct pass *pass, const struct input *input, struct error *err)
{
	if (!pass->is_open)
		return no_window(pass, err);
	if (pass->options->to_mark && !pass->is_over && pass->consumer->warn) {
		char text[INPUT_WARNING_SIZE];
		snprintf(text, sizeof(text), "%s: no mark '%s' to end at; read to its end", pass->run.path,
			 pass->options->to_mark);
		pass->consumer->warn(text);
	}
	note_cpus(pass, input);
	const struct trace_watch_end window = {
	    .end_ns = pass_end(pass),
	    .is_cut = pass->is_over,
	    .truncated = input->kind == INPUT_DAT && input->trace.truncated,
	};
	trace_watch_end_window(&pass->trace, &pass->states, &window);
	enum status status = end_cpus(pass, err);
	trace_watch_end(&pass->trace, &pass->states, pass->run.source, &window);
	summarize_losses(pass, input);
	summarize_grade(pass);
	if (status == STATUS_OK && pass->consumer->end)
		status = pass->consumer->end(pass->consumer->context, pass, err);
	return status;
}

static enum status ignore_event(void *context, const struct pass *pass, const struct sched_event *event,
				const struct task_step *step, struct error *err)
{
	(void)context, (void)pass, (void)event, (void)step, (void)err;
	return STATUS_OK;
}

static enum status make_roles(void *context, const struct pass *pass, struct error *err)
{
	(void)err;
	role_table_make(context, &pass->states);
	return STATUS_OK;
}

/* Needs a separate pass: a task's role depends on the whole trace. */
static enum status read_roles(struct pass *pass, struct input *input, struct error *err)
{
	const struct pass_consumer consumer = {.context = &pass->roles, .step = ignore_event, .end = make_roles};
	struct pass whole;

	role_table_free(&pass->roles);
	const enum status status = pass_read_inputs(NULL, input, 1, &consumer, &whole, err);
	pass_free(&whole);
	pass->roles.first = pass->states.task_count;
	pass->states.roles = &pass->roles;
	return status;
}

static enum status read_source(struct pass *pass, struct input *input, struct error *err)
{
	const struct pass_consumer *consumer = pass->consumer;
	enum status status = STATUS_OK;

	pass->is_open = pass->is_over = pass->run.has_wakeups = false;
	if (pass->options->with_roles)
		status = read_roles(pass, input, err);
	task_states_begin(&pass->states, sched_source_leave_reasons(pass->run.source),
			  sched_source_scope(pass->run.source));
	pass->states.names = sched_source_names(pass->run.source);
	pass->states.clocks_differ = !sched_clock_is_common(sched_source_clock(pass->run.source));
	trace_watch_begin(&pass->trace, &pass->states, pass->run.source);
	pass->states.all_start_late = sched_source_overwritten(pass->run.source) > 0;
	for (size_t i = 0; input->kind == INPUT_DAT && i < input->trace.cpu_count && status == STATUS_OK; i++)
		if (sched_source_starts_late(pass->run.source, input->trace.cpus[i].cpu))
			status = task_states_late_start(&pass->states, input->trace.cpus[i].cpu, err);
	if (status == STATUS_OK && consumer->begin)
		status = consumer->begin(consumer->context, pass, err);
	if (status == STATUS_OK)
		status = read_events(pass, input, err);
	pass->summary.events += pass->trace.quality.events;
	if (status == STATUS_OK)
		status = end_run(pass, input, err);
	pass->run.number++;
	return status;
}

struct pass_metadata {
	bool is_read, is_known;
	struct run run;
};

static void free_metadata(struct pass *pass)
{
	if (pass->run.metadata)
		run_free(&pass->run.metadata->run);
	free(pass->run.metadata);
	pass->run.metadata = NULL;
}

const struct run *pass_described(const struct pass *pass)
{
	struct pass_metadata *metadata = pass->run.metadata;
	struct error unreadable;

	if (pass->options && pass->options->described)
		return pass->options->described;
	if (!metadata)
		return NULL;
	if (!metadata->is_read && strcmp(pass->run.path, INPUT_STANDARD) != 0)
		metadata->is_known = run_open(&metadata->run, pass->run.path, &unreadable) == STATUS_OK;
	metadata->is_read = true;
	return metadata->is_known ? &metadata->run : NULL;
}

static enum status read_input(struct pass *pass, struct input *input, struct error *err)
{
	enum status status;

	free_metadata(pass);
	pass->run.metadata = xcalloc(1, sizeof(*pass->run.metadata));
	for (; pass->path_count <= pass->run.number; pass->path_count++) {
		pass->paths = array_grow(pass->paths, &pass->path_capacity, pass->path_count + 1, sizeof(*pass->paths));
		pass->paths[pass->path_count] = xstrdup(input->name);
	}
	pass->run.path = input->name;
	pass->run.input = input;
	if (pass->options->output && input_is_file(input, pass->options->output))
		return error_set(err, STATUS_USAGE, pass->options->output,
				 "is the trace itself; write to another file");
	status = input_source(input, &pass->run.source, err);
	if (status == STATUS_OK) {
		status = read_source(pass, input, err);
		pass->states.scope = NULL;
		pass->states.names.find = NULL;
		sched_source_close(pass->run.source);
		pass->run.source = NULL;
	}
	return status;
}

/* Asks consumer->failed() about a trace that cannot be read. */
static enum status judge_failure(struct pass *pass, enum status status, struct error *err)
{
	if ((status != STATUS_CORRUPT && status != STATUS_UNSUPPORTED) || !pass->consumer->failed)
		return status;
	return pass->consumer->failed(pass->consumer->context, pass, err);
}

static enum status read_trace(struct pass *pass, const char *path, struct error *err)
{
	char warning[INPUT_WARNING_SIZE];
	struct input input;
	enum status status = input_open(&input, path, err);

	pass->run.path = path;
	if (status == STATUS_OK) {
		if (pass->consumer->warn && input_skipped_text(&input, warning, sizeof(warning)))
			pass->consumer->warn(warning);
		status = read_input(pass, &input, err);
		input_close(&input);
	}
	return status == STATUS_OK ? status : judge_failure(pass, status, err);
}

static enum status read_directory(struct pass *pass, const char *path, struct error *err)
{
	char raw[PATH_MAX];
	struct run_list runs = {0};
	enum status status = run_directory_of(path, raw, err);

	if (status != STATUS_OK)
		return status;
	status = run_list_find(raw, NULL, &runs, err);
	if (status != STATUS_OK && access(path, R_OK | X_OK) != 0)
		error_remedy(err, "read it as its owner, or with sudo");
	if (status != STATUS_OK)
		return status;
	for (size_t i = 0; i < runs.count && status == STATUS_OK; i++)
		status = read_trace(pass, runs.items[i].path, err);
	pass->run.path = path; /* the path of the last trace is freed */
	run_list_free(&runs);
	return status;
}

enum status pass_read(const struct pass_options *options, char *const *paths, size_t count,
		      const struct pass_consumer *consumer, struct pass *pass, struct error *err)
{
	enum status status = begin_pass(options, consumer, pass, err);

	interrupt_catch();
	if (status == STATUS_OK && count == 0 && access(DEFAULT_TRACE, F_OK) < 0) {
		error_set(err, STATUS_SYSTEM, DEFAULT_TRACE, "the default trace does not exist");
		return error_remedy(err, "name a trace, or record one with picknext record");
	}
	if (status == STATUS_OK && count == 0)
		status = read_trace(pass, DEFAULT_TRACE, err);
	for (size_t i = 0; i < count && status == STATUS_OK; i++)
		status =
		    file_is_directory(paths[i]) ? read_directory(pass, paths[i], err) : read_trace(pass, paths[i], err);
	return status == STATUS_OK ? check_cpus(pass, err) : status;
}

enum status pass_read_inputs(const struct pass_options *options, struct input *inputs, size_t count,
			     const struct pass_consumer *consumer, struct pass *pass, struct error *err)
{
	enum status status = begin_pass(options, consumer, pass, err);

	for (size_t i = 0; i < count && status == STATUS_OK; i++)
		status = read_input(pass, &inputs[i], err);
	return status == STATUS_OK ? check_cpus(pass, err) : status;
}

enum status pass_need_all_tasks(const struct pass *pass, const char *what, struct error *err)
{
	if (!trace_scope_is_part(pass->states.scope))
		return STATUS_OK;
	error_set(err, STATUS_UNSUPPORTED, pass->run.path,
		  "has events of followed tasks only, and %s depend on all tasks", what);
	return error_remedy(err, "record without --pid");
}

bool pass_shows_running(const struct pass *pass, uint32_t first, uint32_t last)
{
	uint64_t all_ns = 0, unknown_ns = 0;

	for (uint32_t cpu = first; cpu < pass->states.cpu_count && cpu <= last; cpu++) {
		const struct task_cpu *known = &pass->states.cpus[cpu];
		if (!pass_wants_cpu(pass, cpu))
			continue;
		all_ns += known->observed_ns - known->observed_absent_ns[CPU_OFFLINE];
		unknown_ns += known->observed_absent_ns[CPU_UNKNOWN];
	}
	return quality_has_enough(all_ns - unknown_ns, unknown_ns);
}

bool pass_shows_waiting(const struct pass *pass, uint32_t first, uint32_t last, uint64_t *hidden_ns)
{
	uint64_t all_ns = 0;

	*hidden_ns = 0;
	for (uint32_t cpu = first; cpu < pass->states.cpu_count && cpu <= last; cpu++) {
		if (!pass_wants_cpu(pass, cpu))
			continue;
		all_ns += pass->states.cpus[cpu].observed_ns;
		*hidden_ns += pass->states.cpus[cpu].observed_hidden_ns;
	}
	return pass_shows_wakeups(pass) && quality_has_enough(all_ns - *hidden_ns, *hidden_ns);
}

void pass_free(struct pass *pass)
{
	role_table_free(&pass->roles);
	task_states_free(&pass->states);
	free_metadata(pass);
	for (size_t i = 0; i < pass->path_count; i++)
		free(pass->paths[i]);
	free(pass->paths);
	pass->paths = NULL;
	pass->path_count = 0;
}
