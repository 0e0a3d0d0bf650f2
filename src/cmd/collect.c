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
    {.name = "output-dir",
     .letter = 'o',
     .kind = OPTION_TEXT,
     .offset = offsetof(struct values, output_directory),
     .argument = "DIR",
     .help = "write DIR/raw/NAME_runN.dat and .json",
     .fallback = "traces"},
    COLLECTION_OPTION_ROWS(struct values, collection),
    COLLECTION_SCRATCH_ROW(struct values, collection),
    {.name = "list-workloads",
     .kind = OPTION_FLAG,
     .offset = offsetof(struct values, list_workloads),
     .help = "show the workloads and do nothing else"},
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

static void tell_summary(const struct collection_summary *summary, const char *raw_directory)
{
	message_progress_end();
	message_info("%u traces with %llu switches in %llu events are in %s", summary->traces,
		     (unsigned long long)summary->switches, (unsigned long long)summary->events, raw_directory);
	if (summary->lossy)
		message_warning("%u of %u traces lost events, %llu in all; build refuses them without --allow-lossy",
				summary->lossy, summary->traces, (unsigned long long)summary->lost);
}

enum status collect_with_progress(const char *output_directory, const struct collection_options *given,
				  struct error *err)
{
	char raw_directory[PATH_MAX];
	struct collection_choice choice;
	struct collection_summary summary = {0};
	struct collection_request request = {.raw_directory = raw_directory};
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
		tell_summary(&summary, raw_directory);
	message_progress_end();
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
	if (values.list_workloads)
		return list_print(false);
	if (collect_with_progress(values.output_directory, &values.collection, &err) != STATUS_OK)
		return message_error(&err);
	return 0;
}

const struct command command_collect = {
    .name = "collect",
    .summary = "run workloads and record what the scheduler does (root)",
    .operands = "",
    .details = "Each run is recorded into a private tracefs instance: sched_switch, sched_wakeup,\n"
	       "sched_wakeup_new, sched_migrate_task. The files are trace-cmd's: trace-cmd report and\n"
	       "KernelShark open them. On a machine with isolated CPUs (isolcpus=) the tracer has the last of\n"
	       "them to itself, and the workload gets all that are not isolated.",
    .examples = "  sudo picknext collect -o traces                          # all workloads, 3 runs each\n"
		"  sudo picknext collect -w cpu_bound_4p,io_mixed --runs 5\n"
		"  sudo picknext collect -w hackbench_pipe_small --scale 0.1 # a tenth of the messages\n"
		"  picknext collect --list-workloads",
    .options = options,
    .run = run,
};
