/* SPDX-License-Identifier: MIT */
#include "trace/pass.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cpu_list.h"
#include "base/file.h"
#include "base/interrupt.h"
#include "base/message.h"
#include "runs/run_list.h"
#include "term/print.h"
#include "trace/input.h"
#include "trace/pass_quality.h"

static enum status take_options(const struct analysis_options *options, struct analysis *analysis, struct error *err)
{
	cpu_set_t cpus;

	analysis->options = options;
	analysis->all_cpus = !options->cpus;
	analysis->from_ns = (uint64_t)(options->from * 1e9 + 0.5);
	analysis->to_ns = options->to > 0 ? (uint64_t)(options->to * 1e9 + 0.5) : UINT64_MAX;
	if (options->json && options->csv)
		return error_set(err, STATUS_USAGE, "--json and --csv", "cannot both be had; choose one");
	if (analysis->from_ns >= analysis->to_ns)
		return error_set(err, STATUS_USAGE, "--from", "lies not before --to");
	if (!options->cpus)
		return STATUS_OK;
	if (!cpu_list_parse(options->cpus, &cpus) || CPU_COUNT(&cpus) == 0)
		return error_set(err, STATUS_USAGE, "--cpu", "'%s' is no list of CPUs, such as 0,2-3", options->cpus);
	for (unsigned int cpu = 0; cpu < CPU_SETSIZE; cpu++)
		if (CPU_ISSET(cpu, &cpus))
			analysis->cpu_set[cpu / 64] |= UINT64_C(1) << cpu % 64;
	return STATUS_OK;
}

static bool is_mark(const struct sched_event *event, const char *text)
{
	return event->kind == SCHED_MARK && event->mark.length == strlen(text) &&
	       memcmp(event->mark.text, text, event->mark.length) == 0;
}

/* Opens and closes the window as this event stands to it. */
static void move_window(struct analysis *analysis, const struct sched_event *event)
{
	const struct analysis_options *options = analysis->options;
	uint64_t since = event->ts_ns - analysis->run.first_ns;

	if (event->kind == SCHED_LOST || event->kind == SCHED_GAP)
		return;
	if (!analysis->is_open) {
		bool is_due = since >= analysis->from_ns && since < analysis->to_ns;
		if (is_due && (!options->from_mark || is_mark(event, options->from_mark))) {
			analysis->is_open = true;
			task_states_open_window(&analysis->machine, options->from_mark
									? event->ts_ns
									: analysis->run.first_ns + analysis->from_ns);
		}
		return;
	}
	if (since < analysis->to_ns && !(options->to_mark && is_mark(event, options->to_mark)))
		return;
	analysis->is_over = true;
	analysis->end_ns = since < analysis->to_ns ? event->ts_ns : analysis->run.first_ns + analysis->to_ns;
}

static enum status step(struct analysis *analysis, const struct sched_event *event, struct error *err)
{
	struct task_step result;

	bool was_open = analysis->is_open;

	move_window(analysis, event);
	if (analysis->is_over)
		return STATUS_END;
	if (analysis->is_open && !was_open)
		analysis->faults_before = analysis->machine.faults;
	if (analysis->is_open)
		trace_quality_step(analysis, event);
	enum status status = task_states_step(&analysis->machine, event, &result, err);
	if (status != STATUS_OK || !analysis->is_open)
		return status;
	analysis->quality.events += event->kind != SCHED_LOST && event->kind != SCHED_GAP;
	return analysis->consumer->step(analysis->consumer->context, analysis, event, &result, err);
}

static enum status read_events(struct analysis *analysis, struct input *input, struct error *err)
{
	struct sched_event event;
	bool has_first = false;
	enum status status;

	while ((status = sched_source_next(analysis->run.source, &event, err)) == STATUS_OK) {
		status = input_step(input, err);
		if (status != STATUS_OK)
			return status;
		if (!has_first && event.kind != SCHED_LOST) {
			has_first = true;
			analysis->run.first_ns = event.ts_ns;
		}
		status = step(analysis, &event, err);
		if (status == STATUS_OK)
			continue;
		if (status != STATUS_END && err && !err->where[0])
			snprintf(err->where, sizeof(err->where), "%.500s", analysis->run.path);
		return status == STATUS_END ? STATUS_OK : status;
	}
	return status == STATUS_END ? STATUS_OK : status;
}

static enum status end_cpus(struct analysis *analysis, struct error *err)
{
	struct task_states *machine = &analysis->machine;
	uint64_t end = analysis->is_over ? analysis->end_ns : machine->last_ns;
	uint32_t seen = 0;
	struct task_slice slice;
	enum status status = STATUS_OK;

	for (uint32_t cpu = 0; cpu < machine->cpu_count && status == STATUS_OK; cpu++) {
		seen += machine->cpus[cpu].seen;
		if (task_states_end_cpu(machine, cpu, end, &slice) && analysis->consumer->cut)
			status = analysis->consumer->cut(analysis->consumer->context, analysis, &slice, err);
	}
	if (analysis->quality.cpus < seen)
		analysis->quality.cpus = seen;
	analysis->quality.duration_ns += end - machine->window_ns;
	return status;
}

#define LOSSES_READ 256

static void take_quality(struct analysis *analysis, const struct input *input)
{
	struct analysis_quality *quality = &analysis->quality;
	const struct sched_source *source = analysis->run.source;
	struct sched_loss losses[LOSSES_READ];
	size_t count = sched_source_losses(source, losses, LOSSES_READ);
	uint64_t most_ns;

	quality->runs++;
	for (size_t i = 0; i < count && i < LOSSES_READ; i++) {
		quality->lost_events += losses[i].events;
		quality->lost_places += losses[i].ranges ? losses[i].ranges : 1;
		quality->lost_unknown = quality->lost_unknown || losses[i].events == 0;
	}
	quality->lost_events += sched_source_overwritten(source);
	quality->lossy_runs += count > 0 || sched_source_overwritten(source) > 0;
	quality->truncated_runs += input->kind == INPUT_DAT && input->trace.truncated;
	quality->malformed_lines += sched_source_malformed(source);
	quality->backward_events += sched_source_backwards(source, &most_ns);
	if (quality->backward_most_ns < most_ns)
		quality->backward_most_ns = most_ns;
}

static enum status no_window(const struct analysis *analysis, struct error *err)
{
	const struct analysis_options *options = analysis->options;

	if (options->from_mark) {
		error_set(err, STATUS_USAGE, analysis->run.path, "holds no mark '%s' to start from",
			  options->from_mark);
		return error_remedy(err, "picknext export FILE | grep tracing_mark_write lists its marks");
	}
	if (!analysis->machine.has_events)
		return error_set(err, STATUS_UNSUPPORTED, analysis->run.path, "holds no events");
	return error_set(err, STATUS_USAGE, "--from", "lies behind the end of %s, which is %.6f s long",
			 analysis->run.path, (double)(analysis->machine.last_ns - analysis->machine.first_ns) / 1e9);
}

static enum status end_run(struct analysis *analysis, const struct input *input, struct error *err)
{
	if (!analysis->is_open)
		return no_window(analysis, err);
	if (analysis->options->to_mark && !analysis->is_over)
		message_warning("%s: no mark '%s' to end at; taken to its end", analysis->run.path,
				analysis->options->to_mark);
	trace_quality_end_window(analysis, input->kind == INPUT_DAT && input->trace.truncated);
	enum status status = end_cpus(analysis, err);
	take_quality(analysis, input);
	trace_quality_end(analysis);
	if (status == STATUS_OK && analysis->consumer->end)
		status = analysis->consumer->end(analysis->consumer->context, analysis, err);
	return status;
}

static enum status read_source(struct analysis *analysis, struct input *input, struct error *err)
{
	const struct analysis_consumer *consumer = analysis->consumer;
	enum status status = STATUS_OK;

	analysis->is_open = analysis->is_over = false;
	task_states_begin(&analysis->machine, sched_source_outs(analysis->run.source));
	trace_quality_begin(analysis);
	analysis->machine.all_start_late = sched_source_overwritten(analysis->run.source) > 0;
	for (size_t i = 0; input->kind == INPUT_DAT && i < input->trace.cpu_count && status == STATUS_OK; i++)
		if (sched_source_starts_late(analysis->run.source, input->trace.cpus[i].cpu))
			status = task_states_late_start(&analysis->machine, input->trace.cpus[i].cpu, err);
	if (status == STATUS_OK && consumer->begin)
		status = consumer->begin(consumer->context, analysis, err);
	if (status == STATUS_OK)
		status = read_events(analysis, input, err);
	if (status == STATUS_OK)
		status = end_run(analysis, input, err);
	analysis->run.number++;
	return status;
}

static enum status read_input(struct analysis *analysis, struct input *input, struct error *err)
{
	enum status status;

	analysis->run.path = input->name;
	if (analysis->options->output && input_is_file(input, analysis->options->output))
		return error_set(err, STATUS_USAGE, analysis->options->output,
				 "is the trace itself; choose another file with -o");
	status = input_source(input, &analysis->run.source, err);
	if (status == STATUS_OK) {
		status = read_source(analysis, input, err);
		sched_source_close(analysis->run.source);
		analysis->run.source = NULL;
	}
	return status;
}

static enum status read_whole_trace(struct analysis *analysis, const char *path, struct error *err)
{
	struct input input;
	enum status status = input_open(&input, path, err);

	analysis->run.path = path;
	if (status != STATUS_OK)
		return status;
	input_tell_skipped(&input);
	status = read_input(analysis, &input, err);
	input_close(&input);
	return status;
}

static enum status read_trace(struct analysis *analysis, const char *path, struct error *err)
{
	enum status status = read_whole_trace(analysis, path, err);

	if ((status != STATUS_CORRUPT && status != STATUS_UNSUPPORTED) || !analysis->consumer->failed)
		return status;
	return analysis->consumer->failed(analysis->consumer->context, analysis, err);
}

static bool is_directory(const char *path)
{
	struct stat info;

	return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

static enum status read_directory(struct analysis *analysis, const char *path, struct error *err)
{
	char raw[PATH_MAX];
	struct run_list runs;
	enum status status = run_directory_of(path, raw, err);

	if (status != STATUS_OK)
		return status;
	status = run_list_find(raw, NULL, &runs, err);
	if (status != STATUS_OK) {
		if (access(path, R_OK | X_OK) == 0)
			error_remedy(err, "name a directory with traces, or with a directory raw of them");
		else
			error_remedy(err, "read it as its owner, or with sudo");
		return status;
	}
	for (size_t i = 0; i < runs.count && status == STATUS_OK; i++)
		status = read_trace(analysis, runs.items[i].path, err);
	run_list_free(&runs);
	return status;
}

enum status analysis_read(const struct analysis_options *options, const struct operands *operands,
			  const struct analysis_consumer *consumer, struct analysis *analysis, struct error *err)
{
	*analysis = (struct analysis){.consumer = consumer};
	enum status status = take_options(options, analysis, err);

	interrupt_catch();
	if (operands->count == 0 && status == STATUS_OK)
		return access("picknext.dat", F_OK) == 0
			   ? read_trace(analysis, "picknext.dat", err)
			   : error_set(err, STATUS_SYSTEM, "picknext.dat",
				       "is not here, and no trace is named; name one, or make it with picknext record");
	for (size_t i = 0; i < operands->count && status == STATUS_OK; i++) {
		if (is_directory(operands->items[i]))
			status = read_directory(analysis, operands->items[i], err);
		else
			status = read_trace(analysis, operands->items[i], err);
	}
	return status;
}

enum status analysis_read_inputs(const struct analysis_options *options, struct input *inputs, size_t count,
				 const struct analysis_consumer *consumer, struct analysis *analysis, struct error *err)
{
	*analysis = (struct analysis){.consumer = consumer};
	enum status status = take_options(options, analysis, err);

	for (size_t i = 0; i < count && status == STATUS_OK; i++)
		status = read_input(analysis, &inputs[i], err);
	return status;
}

void analysis_free(struct analysis *analysis)
{
	task_states_free(&analysis->machine);
}

int analysis_exit(struct analysis *analysis, enum status status, const struct error *err)
{
	analysis_free(analysis);
	return status == STATUS_OK ? 0 : print_failure(err);
}
