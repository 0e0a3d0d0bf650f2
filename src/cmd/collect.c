/* SPDX-License-Identifier: MIT */
#include "cmd/collect.h"

#include <limits.h>
#include <stdio.h>

#include "base/file.h"
#include "base/interrupt.h"
#include "base/message.h"
#include "cmd/commands.h"
#include "cmd/list.h"

struct values {
	const char *output_directory;
	bool list_workloads;
	struct collection_options collection;
};

static const struct option options[] = {
    OPTION(struct values, output_directory, "output-dir", .letter = 'o', .argument = "DIR",
	   .help = "write DIR/raw/NAME_runN.dat and .json", .fallback = "traces"),
    COLLECTION_OPTION_ROWS(struct values, collection),
    COLLECTION_SCRATCH_ROW(struct values, collection),
    OPTION(struct values, list_workloads, "list-workloads", .help = "list the workloads and exit"),
    {.name = NULL},
};

static void show_progress(void *context, const struct collection_progress *progress)
{
	char left[64] = "";
	double seconds = progress->seconds_left_estimate;

	(void)context;
	if (seconds >= 0)
		snprintf(left, sizeof(left), ", about %u:%02u left", (unsigned int)seconds / 60,
			 (unsigned int)seconds % 60);
	message_progress("run %u of %u: %s_run%u, %llu events so far%s", progress->done + 1, progress->of,
			 progress->workload, progress->run, (unsigned long long)progress->events_so_far, left);
}

static void report_summary(const struct collection_summary *summary, const char *raw_directory)
{
	message_progress_end();
	message_info("%u trace%s with %llu switches in %llu events %s in %s", summary->traces,
		     summary->traces == 1 ? "" : "s", (unsigned long long)summary->switches,
		     (unsigned long long)summary->events, summary->traces == 1 ? "is" : "are", raw_directory);
	if (summary->failed)
		message_warning("the command failed in %u of its runs; their traces are kept", summary->failed);
	if (summary->lossy)
		message_warning("%u of %u traces lost events, %llu in all; build refuses them without --allow-lossy",
				summary->lossy, summary->traces, (unsigned long long)summary->lost);
}

enum status collect_with_progress(const char *output_directory, const struct collection_options *given,
				  unsigned int *failed, struct error *err)
{
	char raw_directory[PATH_MAX];
	struct collection_choice choice;
	struct collection_summary summary = {0};
	struct collection_request request = {.raw_directory = raw_directory};
	*failed = 0;
	enum status status = file_join(raw_directory, sizeof(raw_directory), output_directory, "raw", err);

	if (status == STATUS_OK)
		status = collection_options_apply(given, &choice, &request, err);
	if (status != STATUS_OK)
		return status;
	if (message_progress_wanted())
		request.progress = show_progress;
	interrupt_catch();
	status = collection_run(&request, &summary, err);
	if (status == STATUS_OK || summary.traces > 0)
		report_summary(&summary, raw_directory);
	message_progress_end();
	*failed = summary.failed;
	return status;
}

static int run(const struct command *command, int argc, char **argv)
{
	struct error err = {0};
	struct values values = {0};
	struct operands operands;
	unsigned int failed;
	int exit_code;

	if (!options_begin(command, &values, argc, argv, &operands, &exit_code))
		return exit_code;
	if (values.list_workloads)
		return list_print(false);
	if (collection_options_command(&operands, &values.collection, &err) != STATUS_OK ||
	    collect_with_progress(values.output_directory, &values.collection, &failed, &err) != STATUS_OK)
		return message_error(&err);
	return failed ? COLLECT_EXIT_FAILED : 0;
}

const struct command command_collect = {
    .name = "collect",
    .summary = "run workloads and record what the scheduler does (root)",
    .operands = "[-- COMMAND...]",
    .most_operands = SIZE_MAX,
    .details =
	"Records each run in a private tracefs instance: sched_switch, sched_wakeup, sched_wakeup_new,\n"
	"sched_migrate_task. The files are in trace-cmd's format: trace-cmd report and KernelShark open them.\n"
	"On a machine with isolated CPUs (isolcpus=) the tracer runs alone on the last of them, and the workload\n"
	"runs on all CPUs that are not isolated.\n"
	"COMMAND is recorded like a workload, --runs times, into NAME_runN.dat; NAME is its workload_type in the\n"
	"dataset. Without -w only COMMAND is recorded, named after its program. Its standard input is empty.\n"
	"Processes that it leaves behind are killed. A run in which it fails is kept, with its exit status in the\n"
	"JSON, and collect ends with exit code 1. Record one COMMAND at a time; the next one can use the same DIR.",
    .examples = "  sudo picknext collect -o traces                          # all workloads, 3 runs each\n"
		"  sudo picknext collect -w cpu_bound_4p,io_mixed --runs 5\n"
		"  sudo picknext collect -w hackbench_pipe_small --scale 0.1 # a tenth of the messages\n"
		"  sudo picknext collect -w exec:gcc --category build -- make -B -j4 # a command, same dataset\n"
		"  picknext collect --list-workloads",
    .options = options,
    .run = run,
};
