/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <inttypes.h>
#include <sched.h>
#include <stdio.h>

#include "base/buffer.h"
#include "base/build.h"
#include "base/file.h"
#include "base/interrupt.h"
#include "base/json.h"
#include "base/message.h"
#include "cmd/commands.h"
#include "print/print.h"
#include "record/recorder.h"
#include "record/workload_subject.h"
#include "workloads/table.h"

struct run_options {
	double scale, duration_s;
	const char *scratch;
	bool json;
};

static const struct option options[] = {
    OPTION(struct run_options, scale, "scale", .argument = "F", .help = HELP("multiply loops and seconds by F"),
	   .fallback = "1", .real_min = 0.0001, .real_max = 1e4),
    OPTION(struct run_options, duration_s, "duration", .argument = "S", .unit = "s",
	   .help = HELP("run time of a timed workload; overrides --scale"), .real_min = 0.001, .real_max = 1e5),
    OPTION(struct run_options, scratch, "scratch", .argument = "PATH",
	   .help = HELP("directory for the temporary files of io_mixed, or a block\ndevice, which is OVERWRITTEN"),
	   .fallback = "."),
    OPTION(struct run_options, json, "json", .help = HELP("print a JSON object instead of text")),
    {.name = NULL},
};

static double work_rate(const struct workload_result *result)
{
	return (double)result->work_done / result->elapsed_s;
}

static void add_text(struct buffer *out, const struct workload_request *request, const struct workload_result *result)
{
	const struct workload *workload = request->workload;

	buffer_printf(out, "%s: %s\n", workload->name, workload->description);
	if (workload->loops)
		buffer_printf(out, "  loops        %" PRIu64 " (scale %g)\n", workload_effective_loops(request),
			      request->scale);
	else
		buffer_printf(out, "  duration     %g s asked for\n", workload_effective_duration_s(request));
	buffer_printf(out, "  tasks        %u\n", result->tasks);
	buffer_printf(out, "  work         %" PRIu64 " %s\n", result->work_done, workload->work_unit);
	buffer_printf(out, "  elapsed      %.3f s\n", result->elapsed_s);
	buffer_printf(out, "  rate         %.0f %s/s\n", work_rate(result), workload->work_unit);
	buffer_printf(out, "  switches     %" PRIu64 " voluntary, %" PRIu64 " involuntary\n",
		      result->voluntary_switches, result->involuntary_switches);
}

static void add_json(struct buffer *out, const struct workload_request *request, const struct workload_result *result)
{
	const struct workload *workload = request->workload;
	struct json_writer json = {.out = out};

	json_object_begin(&json, NULL);
	json_text(&json, "workload_name", workload->name);
	json_text(&json, "category", workload->category);
	json_real(&json, "scale", request->scale, 6);
	if (workload->loops)
		json_u64(&json, "loops", workload_effective_loops(request));
	else
		json_real(&json, "duration_requested_s", workload_effective_duration_s(request), 6);
	json_u64(&json, "tasks", result->tasks);
	json_u64(&json, "work_done", result->work_done);
	json_text(&json, "work_unit", workload->work_unit);
	json_real(&json, "elapsed_s", result->elapsed_s, 6);
	json_real(&json, "work_per_second", work_rate(result), 3);
	json_u64(&json, "voluntary_switches", result->voluntary_switches);
	json_u64(&json, "involuntary_switches", result->involuntary_switches);
	json_object_end(&json);
	buffer_text(out, "\n");
}

static int print_result(const struct workload_request *request, const struct workload_result *result, bool json)
{
	struct buffer out = {0};

	if (json)
		add_json(&out, request, result);
	else
		add_text(&out, request, result);
	return print_buffer(&out);
}

static void warn_about_request(const struct workload_request *request)
{
	const struct workload *workload = request->workload;

	if (workload->loops && request->duration_s > 0)
		message_warning("%s does fixed work: --duration does not change it, --scale does", workload->name);
	if (workload->needs_scratch && file_directory_is_memory(request->scratch))
		message_warning("%s is in memory: the writers will not wait for a block device; "
				"name a directory on a disk with --scratch",
				request->scratch);
}

static int run_command(const struct call *call)
{
	struct run_options *values = call->values;
	struct error err = {0};
	struct workload_request request = {0};
	struct workload_subject subject;
	const struct recorder_settings settings = {.subject = &subject.subject};
	struct trace_window window;

	if (workload_require(call->operands.items[0], "run", &request.workload, &err) != STATUS_OK)
		return message_error(&err);
	request.scale = values->scale;
	request.duration_s = values->duration_s;
	request.scratch = values->scratch;
	if (sched_getaffinity(0, sizeof(request.cpus), &request.cpus) < 0) {
		error_system(&err, errno, "run", "cannot read the affinity of picknext");
		return message_error(&err);
	}
	warn_about_request(&request);
	interrupt_catch();
	workload_subject_make(&subject, &request);
	if (recorder_run(&settings, &window, &err) != STATUS_OK)
		return message_error(&err);
	return print_result(&request, &subject.result, values->json);
}

const struct command command_run = {
    .name = "run",
    .summary = HELP("run one workload without tracing it"),
    .operands = "NAME",
    .operands_min = 1,
    .operands_max = 1,
    .details = HELP(
	"Runs the workload on the CPUs that picknext itself may use (see taskset(1)) and prints the work done, the\n"
	"time it took, and the context switches of its tasks (getrusage(2), without set-up). picknext list shows\n"
	"the names."),
    .examples = HELP("  picknext run hackbench_pipe_small --scale 0.1\n"
		     "  taskset -c 0 picknext run sysbench_threads_8t --duration 2\n"
		     "  picknext run io_mixed --scratch /var/tmp --json"),
    .options = options,
    .values_size = sizeof(struct run_options),
    .run = run_command,
};
