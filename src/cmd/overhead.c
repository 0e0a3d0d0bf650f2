/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <string.h>

#include "base/interrupt.h"
#include "base/message.h"
#include "base/output_file.h"
#include "base/output_stream.h"
#include "cmd/commands.h"
#include "print/print.h"
#include "record/collection_request.h"
#include "record/command_subject.h"
#include "record/overhead.h"
#include "record/tracefs/tracefs.h"
#include "runs/metadata.h"

struct overhead_options {
	struct collection_request collection;
	const char *directory, *json;
	uint64_t rounds;
};

static const struct option options[] = {
    OPTION(struct overhead_options, collection.names, "workload", .letter = 'w', .argument = "NAME", .once = true,
	   .help = "workload to run; picknext list shows them"),
    OPTION(struct overhead_options, rounds, "rounds", .letter = 'r', .argument = "N",
	   .help = "runs of each kind, 3 or more", .fallback = "10", .min = 3, .max = 100000),
    SCALE_OPTION_ROW(struct overhead_options, collection.size, COLLECTION_SCALE),
    OPTION(struct overhead_options, collection.duration_s, "duration", .argument = "S", .unit = "s",
	   .help = "run time of a timed workload; overrides --scale", .real_min = 0.01, .real_max = 1000000),
    OPTION(struct overhead_options, json, "json", .argument = "FILE",
	   .help = "also write every run to FILE as JSON; - prints JSON instead of\nthe table"),
    BUFFER_OPTION_ROW(struct overhead_options, collection),
    OPTION(struct overhead_options, collection.drain, "drain", .argument = "MS",
	   .help = "read the buffers every MS milliseconds, as record does (default: 50);\n0: do not read them: the "
		   "cost of recording alone"),
    COLLECTION_CLOCK_ROW(struct overhead_options, collection),
    EVENTS_OPTION_ROW(struct overhead_options, collection.events),
    KEYS_OPTION_ROW(struct overhead_options, collection.keys),
    OPTION(struct overhead_options, directory, "directory", .argument = "DIR",
	   .help = "directory for temporary copies of the recorded data", .fallback = "."),
    COLLECTION_SCRATCH_ROW(struct overhead_options, collection),
    {.name = NULL},
};

static enum status check_request(const struct collection_request *request, struct error *err)
{
	char tracefs[TRACEFS_PATH_SIZE];
	char *const *command = request->workloads[0]->command;

	if (request->workload_count != 1) {
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

	/* The table comes first, so that it is printed even if the file cannot be written. */
	if (to_output)
		overhead_write_json(overhead, &out);
	else
		overhead_add_text(overhead, &out);
	print_buffer(&out);
	if (!json || to_output)
		return STATUS_OK;
	overhead_write_json(overhead, &out);
	buffer_text(&out, "\n");
	enum status status = output_write(json, out.data, out.length, err);
	buffer_free(&out);
	return status;
}

static enum status run_overhead(struct overhead_options *values, struct error *err)
{
	struct overhead overhead = {.request = &values->collection};

	values->collection.runs = 1;
	values->collection.raw_directory = values->directory;
	enum status status = collection_request_resolve(&values->collection, err);
	if (status == STATUS_OK)
		status = check_request(&values->collection, err);
	if (status == STATUS_OK && values->json)
		status = output_check(values->json, err);
	if (status != STATUS_OK)
		return status;
	interrupt_catch();
	status = overhead_measure(&overhead, values->rounds, err);
	if (status == STATUS_OK)
		status = write_results(&overhead, values->json, err);
	overhead_free(&overhead);
	return status;
}

static int overhead_command(const struct call *call)
{
	struct error err = {0};
	struct overhead_options *values = call->values;

	if (collection_request_set_command(&values->collection, &call->operands, &err) != STATUS_OK ||
	    run_overhead(values, &err) != STATUS_OK)
		return message_error(&err);
	return 0;
}

const struct command command_overhead = {
    .name = "overhead",
    .summary = "measure what tracing costs a workload (root)",
    .operands = "[-- COMMAND...]",
    .operands_max = SIZE_MAX,
    .details =
	"Runs the workload, or COMMAND, once without counting, then in rounds of one traced and one untraced run.\n"
	"The order within the rounds alternates. Traced runs record the scheduler's events, as collect does, or\n"
	"those of --events, and with --keys the scheduler's keys. It prints\n"
	"  throughput   ratio of the traced run to the untraced run of the same round: geometric mean and 95 %\n"
	"               confidence interval (Student's t on the logarithms). Throughput is work per second, for fixed\n"
	"               work as for fixed time; the work of COMMAND is one run.\n"
	"  ns/event     CPU time of the workload's tasks in the traced run, minus the CPU time that the untraced run\n"
	"               needed for the same work, divided by the recorded events: mean of the rounds and 95 %\n"
	"               confidence interval (Student's t). It excludes time that the idle task spends on its events.\n"
	"  tracer       CPU time of picknext itself while the workload ran (reading the buffers), per event.\n"
	"If events were lost it stops with exit code 5, since events that are not recorded cost less.",
    .examples = "  sudo picknext overhead -w hackbench_pipe_small --scale 0.2\n"
		"  sudo picknext overhead -w cpu_bound_4p --duration 2 --rounds 20 --json cost.json\n"
		"  sudo picknext overhead --drain 0 -- make -B -j4\n"
		"  picknext vm -k 6.12 --mode deterministic --no-trace -a picknext -v -- picknext overhead --keys -w "
		"cpu_bound_4p   # in instructions",
    .options = options,
    .values_size = sizeof(struct overhead_options),
    .run = overhead_command,
};
