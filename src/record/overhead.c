/* SPDX-License-Identifier: MIT */
#include "record/overhead.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/json.h"
#include "base/memory.h"
#include "base/message.h"
#include "record/host_facts.h"
#include "record/recorder.h"
#include "record/scratch.h"
#include "record/trace_file.h"
#include "record/workload_subject.h"
#include "runs/run_fields.h"

enum { SETTLE_MS = 200 };

/* Work per second. */
static double work_rate(const struct overhead_run *run)
{
	return (double)run->result.work_done / run->result.elapsed_s;
}

/* CPU time of the traced run, minus the CPU time that the untraced run needed for the same work. */
static double extra_ns(const struct overhead_round *round)
{
	const struct workload_result *with = &round->traced.result;
	const struct workload_result *without = &round->untraced.result;
	double usual_s = without->cpu_s * (double)with->work_done / (double)without->work_done;

	return (with->cpu_s - usual_s) * 1e9;
}

/* STATUS_USAGE if a round recorded no events or did no work. */
static enum status compute_estimates(struct overhead *overhead, struct error *err)
{
	double *ratios = xcalloc(overhead->count + 1, sizeof(*ratios));
	double *costs = xcalloc(overhead->count + 1, sizeof(*costs));
	double tracer_ns = 0;
	enum status status = STATUS_OK;

	overhead->events = 0;
	for (size_t i = 0; i < overhead->count && status == STATUS_OK; i++) {
		const struct overhead_round *round = &overhead->rounds[i];
		if (round->traced.events == 0 || round->traced.result.work_done == 0 ||
		    round->untraced.result.work_done == 0) {
			error_set(err, STATUS_USAGE, NULL, "round %zu recorded no events or did no work", i + 1);
			status = error_remedy(err, "raise --scale or --duration");
			break;
		}
		ratios[i] = work_rate(&round->traced) / work_rate(&round->untraced);
		costs[i] = extra_ns(round) / (double)round->traced.events;
		tracer_ns += round->traced.tracer_cpu_s * 1e9;
		overhead->events += round->traced.events;
	}
	if (status == STATUS_OK) {
		overhead->throughput = estimate_ratio(ratios, overhead->count);
		overhead->ns_per_event = estimate_mean(costs, overhead->count);
		overhead->tracer_ns_per_event = tracer_ns / (double)overhead->events;
	}
	free(ratios);
	free(costs);
	return status;
}

struct measurement {
	const struct collection_request *request;
	struct collection_capture capture;
	struct cpu_layout cpus;
};

/* Lost events cost less than recorded ones, and a failed command did not do its work. */
static enum status check_run(const struct collection_request *request, const struct overhead_run *run,
			     const struct trace_file *file, struct error *err)
{
	const char *name = request->workloads[0]->name;

	if (run->result.command_code)
		return error_set(err, STATUS_SYSTEM, name, "the command ended with exit code %d",
				 run->result.command_code);
	if (!losses_any(&file->losses))
		return STATUS_OK;
	error_set(err, STATUS_LOST, name, "%llu of %llu events were lost: the measured cost would be too low",
		  (unsigned long long)losses_events(&file->losses),
		  (unsigned long long)(losses_events(&file->losses) + file->events));
	return error_remedy(err, "raise --buffer-size (now %llu KB per CPU)%s, or lower --scale",
			    (unsigned long long)request->capture.buffer_size_kb,
			    request->drain_ms ? " or lower --drain" : ", leave out --drain 0");
}

/* One run. A traced run is read out as by collect, and its trace is discarded. */
static enum status execute_run(const struct measurement *measurement, bool traced, const struct workload_request *work,
			       struct overhead_run *run, struct error *err)
{
	const struct collection_request *request = measurement->request;
	struct workload_subject subject;
	struct trace_file file = {
	    .cpus = &measurement->cpus, .clock = request->capture.clock, .drain_ms = request->drain_ms};
	const struct recorder_settings settings = {
	    .cpus = &measurement->cpus,
	    .capture = traced ? &measurement->capture.settings : NULL,
	    .subject = &subject.subject,
	    .sink = traced ? &file.sink : NULL,
	    .settle_us = SETTLE_MS * 1000,
	};
	struct trace_window window;

	snprintf(file.directory, sizeof(file.directory), "%s", request->raw_directory);
	trace_file_begin(&file);
	workload_subject_make(&subject, work);
	enum status status = recorder_run(&settings, &window, err);
	*run =
	    (struct overhead_run){.result = subject.result, .events = file.events, .tracer_cpu_s = window.tracer_cpu_s};
	if (status == STATUS_OK)
		status = check_run(request, run, &file, err);
	trace_file_free(&file);
	return status;
}

static enum status measure_run(const struct measurement *measurement, bool traced, struct overhead_run *run,
			       struct error *err)
{
	const struct collection_request *request = measurement->request;
	struct workload_request work = collection_request_work(request, 0);
	struct scratch scratch = {0};
	enum status status = STATUS_OK;

	work.cpus = measurement->cpus.workload;
	if (work.workload->needs_scratch) {
		status = scratch_open(request->scratch, request->raw_directory, &scratch, err);
		work.scratch = scratch.path;
	}
	if (status == STATUS_OK)
		status = execute_run(measurement, traced, &work, run, err);
	scratch_close(&scratch);
	return status;
}

/* The order of each pair alternates, so that slow changes of the machine affect both kinds of runs alike. */
static enum status measure_rounds(const struct measurement *measurement, struct overhead *overhead, uint64_t rounds,
				  struct error *err)
{
	struct overhead_run warm_up;
	enum status status = measure_run(measurement, true, &warm_up, err);

	for (uint64_t i = 0; i < rounds && status == STATUS_OK; i++) {
		struct overhead_round *round = &overhead->rounds[i];
		bool traced_first = i % 2;
		message_progress("round %llu of %llu", (unsigned long long)i + 1, (unsigned long long)rounds);
		status = measure_run(measurement, traced_first, traced_first ? &round->traced : &round->untraced, err);
		if (status == STATUS_OK)
			status = measure_run(measurement, !traced_first,
					     traced_first ? &round->untraced : &round->traced, err);
		overhead->count += status == STATUS_OK;
	}
	message_progress_end();
	return status == STATUS_OK ? compute_estimates(overhead, err) : status;
}

enum status overhead_measure(struct overhead *overhead, uint64_t rounds, struct error *err)
{
	struct measurement measurement = {.request = overhead->request};

	overhead->rounds = xcalloc(rounds, sizeof(*overhead->rounds));
	enum status status = collection_capture_choose(overhead->request, &measurement.capture, err);
	overhead->has_keys = measurement.capture.settings.keys;
	if (status == STATUS_OK)
		status = tracer_begin(&measurement.cpus, err);
	if (status == STATUS_OK) {
		status = measure_rounds(&measurement, overhead, rounds, err);
		tracer_end(&measurement.cpus);
	}
	collection_capture_free(&measurement.capture);
	return status;
}

void overhead_free(struct overhead *overhead)
{
	free(overhead->rounds);
}

static void add_estimate(struct json_writer *json, const char *key, const struct estimate *estimate, int decimals)
{
	json_object_begin(json, key);
	json_real(json, "mean", estimate->mean, decimals);
	json_real(json, "low", estimate->low, decimals);
	json_real(json, "high", estimate->high, decimals);
	json_object_end(json);
}

static void add_run(struct json_writer *json, const char *key, const struct overhead_run *run, bool traced)
{
	json_object_begin(json, key);
	json_u64(json, "work_done", run->result.work_done);
	json_real(json, "elapsed_seconds", run->result.elapsed_s, 9);
	json_real(json, "cpu_seconds", run->result.cpu_s, 9);
	if (traced) {
		json_u64(json, "events", run->events);
		json_real(json, "tracer_cpu_seconds", run->tracer_cpu_s, 9);
	}
	json_object_end(json);
}

static void add_setting(struct json_writer *json, const struct overhead *overhead)
{
	const struct collection_request *request = overhead->request;
	const struct workload *workload = request->workloads[0];

	json_text(json, "workload_name", workload->name);
	json_text(json, "category", workload->category);
	if (workload->command) {
		json_array_begin(json, "command");
		for (char *const *argument = workload->command; *argument; argument++)
			json_text(json, NULL, *argument);
		json_array_end(json);
	}
	json_text(json, "work_unit", workload->work_unit);
	json_real(json, "scale", request->scale, 6);
	json_u64(json, "rounds", overhead->count);
	json_text(json, "trace_clock", request->capture.clock);
	json_bool(json, "keys", overhead->has_keys);
	json_u64(json, "buffer_size_kb", request->capture.buffer_size_kb);
	if (request->drain_ms)
		json_u64(json, "drain_ms", request->drain_ms);
	else
		json_null(json, "drain_ms");
}

void overhead_write_json(const struct overhead *overhead, struct buffer *out)
{
	struct json_writer json = {.out = out};
	struct cpu_layout cpus = {.tracer_cpu = -1};
	struct host_facts facts;

	json_object_begin(&json, NULL);
	add_setting(&json, overhead);
	add_estimate(&json, "throughput_ratio", &overhead->throughput, 6);
	add_estimate(&json, "ns_per_event", &overhead->ns_per_event, 3);
	json_real(&json, "tracer_ns_per_event", overhead->tracer_ns_per_event, 3);
	json_u64(&json, "events", overhead->events);
	json_u64(&json, "lost_events", 0);
	json_array_begin(&json, "runs");
	for (size_t i = 0; i < overhead->count; i++) {
		json_object_begin(&json, NULL);
		add_run(&json, "untraced", &overhead->rounds[i].untraced, false);
		add_run(&json, "traced", &overhead->rounds[i].traced, true);
		json_object_end(&json);
	}
	json_array_end(&json);
	bool has_cpus = cpu_layout_read(&cpus, NULL) == STATUS_OK;
	host_facts_read(&facts, &cpus);
	const struct run_metadata metadata = {.host = facts.host};
	if (has_cpus) {
		run_section_write(&json, &metadata, RUN_SECTION_ORIGIN);
		run_section_write(&json, &metadata, RUN_SECTION_CPUS);
	}
	run_section_write(&json, &metadata, RUN_SECTION_MACHINE);
	run_section_write(&json, &metadata, RUN_SECTION_VERSION);
	json_object_end(&json);
	buffer_text(out, "\n");
}

static const struct overhead_run *run_of(const struct overhead_round *round, bool traced)
{
	return traced ? &round->traced : &round->untraced;
}

static void add_row(const struct overhead *overhead, bool traced, struct buffer *out)
{
	double *values = xcalloc(2 * overhead->count + 1, sizeof(*values));
	size_t count = overhead->count;

	for (size_t i = 0; i < count; i++) {
		values[i] = work_rate(run_of(&overhead->rounds[i], traced));
		values[count + i] = run_of(&overhead->rounds[i], traced)->result.cpu_s;
	}
	double middle = median_of(values, count); /* sorts */
	int digits = middle < 100 ? 3 : 0;
	buffer_printf(out, "%-9s %14.*f %14.*f %14.*f %15.6f\n", traced ? "traced" : "untraced", digits, middle, digits,
		      values[0], digits, values[count - 1], median_of(values + count, count));
	free(values);
}

void overhead_add_text(const struct overhead *overhead, struct buffer *out)
{
	const struct workload *workload = overhead->request->workloads[0];
	const struct estimate *ratio = &overhead->throughput;
	const struct estimate *cost = &overhead->ns_per_event;

	buffer_printf(out, "%s, %zu traced and %zu untraced runs, alternating; %s per second:\n\n", workload->name,
		      overhead->count, overhead->count, workload->work_unit);
	buffer_printf(out, "%-9s %14s %14s %14s %15s\n", "", "median", "min", "max", "CPU s (median)");
	add_row(overhead, false, out);
	add_row(overhead, true, out);
	buffer_printf(out, "\nthroughput, traced / untraced    %8.4f      95 %%: %.4f to %.4f\n", ratio->mean,
		      ratio->low, ratio->high);
	buffer_printf(out, "the workload's CPU time          %8.0f ns per event   95 %%: %.0f to %.0f\n", cost->mean,
		      cost->low, cost->high);
	buffer_printf(out, "the tracer's own CPU time        %8.0f ns per event\n", overhead->tracer_ns_per_event);
	buffer_printf(out, "events recorded                  %8llu, none lost\n", (unsigned long long)overhead->events);
	if (ratio->low <= 1 && ratio->high >= 1)
		buffer_text(
		    out, "\nThe interval includes 1: no significant cost. Use more --rounds, or a quieter machine.\n");
}
