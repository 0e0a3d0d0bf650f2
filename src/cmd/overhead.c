/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/interrupt.h"
#include "base/message.h"
#include "capture/tracefs.h"
#include "cmd/collection_options.h"
#include "cmd/commands.h"
#include "cmd/overhead_report.h"
#include "record/command_subject.h"
#include "record/engine.h"
#include "record/trace_file.h"
#include "record/tracer.h"
#include "record/workload_subject.h"
#include "runs/metadata.h"
#include "term/print.h"

enum { SETTLE_MS = 200 };

struct values {
	struct collection_options collection;
	const char *directory, *json;
	uint64_t rounds;
};

static const struct option options[] = {
    OPTION(struct values, collection.workloads, "workload", .letter = 'w', .argument = "NAME",
	   .help = "workload to run; picknext list shows them"),
    OPTION(struct values, rounds, "rounds", .letter = 'r', .argument = "N", .help = "runs of each kind",
	   .fallback = "10", .least = 3, .most = 100000),
    OPTION(struct values, collection.scale, "scale", .argument = "F",
	   .help = "multiply the loops or seconds of the workload by F", .fallback = "1", .real_least = 0.0001,
	   .real_most = 10000),
    OPTION(struct values, collection.duration_s, "duration", .argument = "S", .unit = "s",
	   .help = "run time of a timed workload; overrides --scale", .real_least = 0.01, .real_most = 1000000),
    OPTION(struct values, json, "json", .argument = "FILE",
	   .help = "also write every run to FILE as JSON; - prints JSON instead of\nthe table"),
    OPTION(struct values, collection.buffer_size_kb, "buffer-size", .letter = 'b', .argument = "KB", .unit = "KB",
	   .help = "trace buffer per CPU", .fallback = "16384", .least = 8, .most = 1ull << 32),
    OPTION(struct values, collection.drain_ms, "drain", .argument = "MS", .unit = "ms",
	   .help = "read the buffers every MS milliseconds, as record does", .fallback = "50", .least = 1,
	   .most = 60000),
    OPTION(struct values, collection.no_drain, "no-drain", .help = "do not read them: the cost of recording alone"),
    OPTION(struct values, collection.clock, "clock", .argument = "NAME", .help = "trace clock", .fallback = "mono"),
    OPTION(struct values, directory, "directory", .argument = "DIR",
	   .help = "directory for temporary copies of the recorded data", .fallback = "."),
    COLLECTION_SCRATCH_ROW(struct values, collection),
    {.name = NULL},
};

struct measurement {
	const struct collection_request *request;
	struct cpu_layout cpus;
	struct notices notices;
};

/* Events that were not recorded cost less, and a command that failed did not do its work. */
static enum status check_run(const struct collection_request *request, const struct overhead_run *run,
			     const struct trace_file *file, struct error *err)
{
	const char *name = request->plan.workloads[0]->name;

	if (run->result.command_code)
		return error_set(err, STATUS_SYSTEM, name, "the command ended with exit code %d",
				 run->result.command_code);
	if (file->losses.events == 0)
		return STATUS_OK;
	error_set(err, STATUS_LOST, name, "%llu of %llu events were lost: the measured cost would be too low",
		  (unsigned long long)file->losses.events, (unsigned long long)(file->losses.events + file->events));
	return error_remedy(err, "raise --buffer-size (now %llu KB per CPU)%s, or lower --scale",
			    (unsigned long long)request->capture.buffer_size_kb,
			    request->drain_ms ? " or lower --drain" : ", leave out --no-drain");
}

/* One run. What is traced is read out, as collect does, and dropped. */
static enum status execute(const struct measurement *measurement, bool traced, const struct workload_request *work,
			   struct overhead_run *run, struct error *err)
{
	const struct collection_request *request = measurement->request;
	struct workload_subject subject;
	struct trace_file file = {.cpus = &measurement->cpus,
				  .notices = &measurement->notices,
				  .clock = request->capture.clock,
				  .drain_ms = request->drain_ms};
	const struct engine_settings settings = {
	    .cpus = &measurement->cpus,
	    .capture = traced ? &request->capture : NULL,
	    .subject = &subject.subject,
	    .sink = traced ? &file.sink : NULL,
	    .settle_ms = SETTLE_MS,
	};
	struct trace_window window;

	snprintf(file.directory, sizeof(file.directory), "%s", request->raw_directory);
	trace_file_begin(&file);
	workload_subject_make(&subject, work);
	enum status status = engine_run(&settings, &window, err);
	*run =
	    (struct overhead_run){.result = subject.result, .events = file.events, .tracer_cpu_s = window.tracer_cpu_s};
	if (status == STATUS_OK)
		status = check_run(request, run, &file, err);
	trace_file_free(&file);
	return status;
}

static enum status measure(const struct measurement *measurement, bool traced, struct overhead_run *run,
			   struct error *err)
{
	const struct collection_request *request = measurement->request;
	struct workload_request work = collection_plan_run(&request->plan, 0);
	struct scratch scratch = {0};
	enum status status = STATUS_OK;

	work.cpus = measurement->cpus.workload;
	if (work.workload->needs_scratch) {
		status = scratch_open(&request->scratch, request->raw_directory, &scratch, err);
		work.scratch = scratch.path;
	}
	if (status == STATUS_OK)
		status = execute(measurement, traced, &work, run, err);
	scratch_close(&scratch);
	return status;
}

/* Untraced first, traced first, and so on: slow changes of the machine affect both alike. */
static enum status measure_all(const struct measurement *measurement, struct overhead *overhead, uint64_t rounds,
			       struct error *err)
{
	struct overhead_run warm_up;
	enum status status = measure(measurement, true, &warm_up, err);

	for (uint64_t i = 0; i < rounds && status == STATUS_OK; i++) {
		struct overhead_round *round = &overhead->rounds[i];
		bool traced_first = i % 2;
		message_progress("round %llu of %llu", (unsigned long long)i + 1, (unsigned long long)rounds);
		status = measure(measurement, traced_first, traced_first ? &round->traced : &round->untraced, err);
		if (status == STATUS_OK)
			status =
			    measure(measurement, !traced_first, traced_first ? &round->untraced : &round->traced, err);
		overhead->count += status == STATUS_OK;
	}
	message_progress_end();
	return status == STATUS_OK ? overhead_compute(overhead, err) : status;
}

static enum status check(const struct collection_request *request, struct error *err)
{
	char tracefs[TRACEFS_PATH_SIZE];
	char *const *command = request->plan.workloads[0]->command;

	if (request->plan.workload_count != 1) {
		error_set(err, STATUS_USAGE, "--workload", "one workload is measured at a time");
		return error_remedy(err, "name it with -w; picknext list shows all");
	}
	if (command && command_subject_check(command[0], err))
		return err->status;
	return tracefs_find(tracefs, sizeof(tracefs), err);
}

static enum status write_results(const struct overhead *overhead, const char *json, struct error *err)
{
	bool to_output = json && strcmp(json, "-") == 0;
	struct buffer out = {0};

	/* The table first: it is printed even if the file cannot be written. */
	if (to_output)
		overhead_write_json(overhead, &out);
	else
		overhead_write_text(overhead, &out);
	if (out.failed)
		return error_system(err, ENOMEM, NULL, "cannot print");
	print_buffer(&out);
	if (!json || to_output)
		return STATUS_OK;
	overhead_write_json(overhead, &out);
	return run_file_write(&out, json, err);
}

static enum status run_overhead(const struct values *values, struct error *err)
{
	struct collection_choice choice;
	struct collection_request request = {.raw_directory = values->directory};
	struct measurement measurement = {.request = &request};
	struct overhead overhead = {.request = &request};
	enum status status = collection_options_apply(&values->collection, &choice, &request, err);

	if (status == STATUS_OK)
		status = check(&request, err);
	if (status != STATUS_OK)
		return status;
	overhead.rounds = calloc(values->rounds, sizeof(*overhead.rounds));
	if (!overhead.rounds)
		return error_system(err, ENOMEM, NULL, "cannot keep %llu rounds", (unsigned long long)values->rounds);
	interrupt_catch();
	status = tracer_begin(&measurement.cpus, &measurement.notices, err);
	if (status == STATUS_OK) {
		status = measure_all(&measurement, &overhead, values->rounds, err);
		tracer_end(&measurement.cpus);
	}
	if (status == STATUS_OK)
		status = write_results(&overhead, values->json, err);
	free(overhead.rounds);
	return status;
}

static int run(const struct command *command, int argc, char **argv)
{
	struct error err = {0};
	struct values values = {0};
	struct operands operands;
	int exit_code;

	if (!options_begin(command, &values, argc, argv, &operands, &exit_code))
		return exit_code;
	values.collection.category = "recorded";
	values.collection.runs = 1;
	if (collection_options_command(&operands, &values.collection, &err) != STATUS_OK ||
	    run_overhead(&values, &err) != STATUS_OK)
		return message_error(&err);
	return 0;
}

const struct command command_overhead = {
    .name = "overhead",
    .summary = "measure what tracing costs a workload (root)",
    .operands = "[-- COMMAND...]",
    .most_operands = SIZE_MAX,
    .details =
	"Runs the workload, or COMMAND, --rounds times traced and --rounds times untraced: untraced and traced, then\n"
	"traced and untraced, and so on, after one run that is not counted. Traced runs record the scheduler's four\n"
	"events, as collect does. It prints\n"
	"  throughput   ratio of the traced run to the untraced run of the same round: geometric mean and 95 %\n"
	"               confidence interval (Student's t on the logarithms). Throughput is work per second, for fixed\n"
	"               work as for fixed time; the work of COMMAND is one run.\n"
	"  ns per event CPU time of the workload's tasks in the traced run, minus the CPU time that the untraced run\n"
	"               needed for the same work, divided by the recorded events: mean of the rounds and 95 %\n"
	"               confidence interval (Student's t). It excludes time that the idle task spends on its events.\n"
	"  tracer       CPU time of picknext itself while the workload ran (reading the buffers), per event.\n"
	"If events were lost it stops with exit code 5, since events that are not recorded cost less.",
    .examples = "  sudo picknext overhead -w hackbench_pipe_small --scale 0.2\n"
		"  sudo picknext overhead -w cpu_bound_4p --duration 2 --rounds 20 --json cost.json\n"
		"  sudo picknext overhead --no-drain -- make -B -j4",
    .options = options,
    .run = run,
};
