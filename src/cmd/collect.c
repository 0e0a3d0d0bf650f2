/* SPDX-License-Identifier: MIT */
#include <limits.h>
#include <stdio.h>

#include "base/file.h"
#include "base/interrupt.h"
#include "base/message.h"
#include "cmd/commands.h"
#include "cmd/split_options.h"
#include "data/dataset_files.h"
#include "print/dataset_report.h"
#include "record/collection.h"
#include "runs/recipe.h"

/* Exit codes if a command failed in a run (its exit status is in the metadata), and if a scheduler was ejected. */
enum { EXIT_FAILED = 1, EXIT_EJECTED = 6 };

struct collect_options {
	const char *output_directory;
	struct collection_request collection;
	struct split_options split; /* used only by all */
};

/* Option rows of both commands. */
#define COLLECT_OPTION_ROWS(output_help)                                                                               \
	OPTION(struct collect_options, output_directory, "output-dir", .letter = 'o', .argument = "DIR",               \
	       .scope = OPTION_OF_CALL, .help = (output_help), .fallback = "traces"),                                  \
	    COLLECTION_RUNS_ROW(struct collect_options, collection),                                                   \
	    COLLECTION_OPTION_ROWS(struct collect_options, collection, COLLECTION_SCALE),                              \
	    COUNT_OPTION_ROW(struct collect_options, collection),                                                      \
	    COLLECTION_CLOCK_ROW(struct collect_options, collection),                                                  \
	    COLLECTION_SCHEDULER_ROW(struct collect_options, collection),                                              \
	    COLLECTION_SCRATCH_ROW(struct collect_options, collection)

static const struct option collect_options[] = {
    COLLECT_OPTION_ROWS("write DIR/raw/NAME_runN.dat and .json"),
    {.name = NULL},
};

static const struct option all_options[] = {
    COLLECT_OPTION_ROWS("write the traces to DIR/raw and the dataset to DIR"),
    SPLIT_OPTION_ROWS(struct collect_options, split),
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
		message_warning("the command failed in %u of its runs; their traces are kept, build refuses them "
				"without --allow failed",
				summary->failed);
	if (summary->ejected)
		message_warning("the scheduler was ejected in %u of the runs; their traces are kept, build and compare "
				"refuse them without --allow failed",
				summary->ejected);
	if (summary->lossy)
		message_warning("%u of %u traces lost events, %llu in all; build refuses them without --allow lossy",
				summary->lossy, summary->traces, (unsigned long long)summary->lost);
}

static enum status check_request(const struct call *call, struct collect_options *values, char *raw_directory,
				 struct recipe *recipe, struct error *err)
{
	struct collection_request *request = &values->collection;
	enum status status = file_join(raw_directory, PATH_MAX, values->output_directory, "raw", err);

	request->raw_directory = raw_directory;
	request->first_run = 1;
	request->recipe = recipe;
	if (status == STATUS_OK)
		status = collection_request_resolve(request, err);
	if (status == STATUS_OK)
		status = split_options_check(&values->split, request, err);
	if (status == STATUS_OK)
		status = recipe_make(call->command, call->words, 0, recipe, err);
	collection_resolve_mixes(&recipe->words);
	if (call->operands.count == 0)
		recipe_forget_directory(recipe);
	return status;
}

/* *exit_code: 0, or the exit code for runs that are kept although their command failed or their scheduler was
 * ejected. */
static enum status collect_runs(const struct call *call, int *exit_code, struct error *err)
{
	struct collect_options *values = call->values;
	char raw_directory[PATH_MAX];
	struct recipe recipe = {0};
	struct collection_summary summary = {0};
	enum status status = check_request(call, values, raw_directory, &recipe, err);

	if (status == STATUS_OK) {
		if (message_progress_wanted())
			values->collection.progress = show_progress;
		interrupt_catch();
		status = collection_run(&values->collection, &summary, err);
		if (status == STATUS_OK || summary.traces > 0)
			report_summary(&summary, raw_directory);
		message_progress_end();
	}
	recipe_free(&recipe);
	collection_request_free(&values->collection);
	*exit_code = summary.ejected ? EXIT_EJECTED : summary.failed ? EXIT_FAILED : 0;
	return status;
}

static enum status build_dataset(const struct collect_options *values, struct error *err)
{
	struct dataset_request request = split_options_request(&values->split);

	request.output_directory = values->output_directory;
	return dataset_build_and_report(&request, err);
}

static int run_collect(const struct call *call)
{
	struct error err = {0};
	struct collect_options *values = call->values;
	int exit_code = 0;

	enum status status = collection_request_set_command(&values->collection, &call->operands, &err);
	if (status == STATUS_OK && call->command == &command_all)
		status = output_check_files(values->output_directory, &err);
	if (status == STATUS_OK)
		status = collect_runs(call, &exit_code, &err);
	if (status == STATUS_OK && call->command == &command_all)
		status = build_dataset(values, &err);
	if (status != STATUS_OK)
		return message_error(&err);
	return exit_code;
}

const struct command command_collect = {
    .name = "collect",
    .summary = "run workloads and record what the scheduler does (root)",
    .operands = "[-- COMMAND...]",
    .operands_max = SIZE_MAX,
    .details =
	"Records each run in a private tracefs instance: sched_switch, sched_wakeup, sched_wakeup_new,\n"
	"sched_migrate_task and sched_pi_setprio. The files are in trace-cmd's format: trace-cmd report and\n"
	"KernelShark open them. On a machine with isolated CPUs (isolcpus=) the tracer runs alone on the last of\n"
	"them, and the workload runs on all CPUs that are not isolated.\n"
	"COMMAND is recorded like a workload, --runs times, into NAME_runN.dat; NAME is its workload_type in the\n"
	"dataset. Without -w only COMMAND is recorded, named after its program. Its standard input is empty.\n"
	"Processes that it leaves behind are killed. A run in which it fails is kept, with its exit status in the\n"
	"JSON, and collect ends with exit code 1. Record one COMMAND at a time; the next one can use the same DIR.",
    .examples = "  sudo picknext collect -o traces                          # all workloads, 3 runs each\n"
		"  sudo picknext collect -w cpu_bound_4p,io_mixed --runs 5\n"
		"  sudo picknext collect -w hackbench_pipe_small --scale 0.1 # a tenth of the messages\n"
		"  sudo picknext collect -w exec:gcc:build -- make -B -j4 # a command, same dataset",
    .options = collect_options,
    .values_size = sizeof(struct collect_options),
    .run = run_collect,
};

const struct command command_all = {
    .name = "all",
    .summary = "collect, then build, in one go (root)",
    .operands = "[-- COMMAND...]",
    .operands_max = SIZE_MAX,
    .details = "Runs collect and then build: writes DIR/raw/*.dat and *.json, then train.csv, test_seen.csv,\n"
	       "test_unseen.csv, all.csv and dataset_meta.json from everything in DIR/raw.",
    .examples = "  sudo picknext all -o traces                 # all workloads, 3 runs each, then the dataset\n"
		"  sudo picknext all -o traces --scale 0.1     # a tenth of the work\n"
		"  sudo picknext all -w cpu_bound_4p,io_mixed --no-unseen-split",
    .options = all_options,
    .values_size = sizeof(struct collect_options),
    .run = run_collect,
};
