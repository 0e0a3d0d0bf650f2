/* SPDX-License-Identifier: MIT */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/arguments.h"
#include "base/interrupt.h"
#include "base/memory.h"
#include "base/message.h"
#include "base/ordered.h"
#include "cmd/commands.h"
#include "cmd/split_options.h"
#include "print/analysis_print.h"
#include "print/dataset_report.h"

struct build_options {
	const char *output_directory, *raw_directory, *task, *instance;
	uint64_t workload_rows_max, trace_rows_max, jobs;
	bool include_tracer, weights;
	struct split_options split;
};

static const struct option build_options[] = {
    OPTION(struct build_options, output_directory, "output-dir", .letter = 'o', .argument = "DIR",
	   .help = "output directory of the dataset", .fallback = "traces", .scope = OPTION_OF_CALL),
    OPTION(struct build_options, raw_directory, "raw-dir", .argument = "DIR", .once = true,
	   .help = "directory of raw traces (default: raw in the output directory)", .scope = OPTION_OF_CALL),
    JOBS_OPTION_ROW(struct build_options, jobs),
    OPTION_INSTANCE(struct build_options, instance),
    SPLIT_OPTION_ROWS(struct build_options, split),
    OPTION_TITLE("Rows of decisions"),
    OPTION_CHOICES(struct build_options, task, "task", ROW_KINDS, .argument = "WHAT",
		   .help =
		       "kind of row: a switch; a pick, which is a decision of the scheduler,\nwith its candidates; the "
		       "placement of a task that wakes, with the\nCPUs; balance, a move of a waiting task, with the "
		       "tasks that waited\nbeside it; keys, a pick with the keys of a trace of --keys",
		   .fallback = "switch"),
    OPTION(struct build_options, workload_rows_max, "max-rows-per-workload", .argument = "N",
	   .help = "take a sample of the rows, so that no workload has more than N under\none kernel and scheduler"),
    OPTION(struct build_options, trace_rows_max, "max-rows-per-trace", .argument = "N",
	   .help = "take a sample of at most N rows of each trace"),
    OPTION(struct build_options, weights, "weights",
	   .help = "add the column weight: each workload of a file has the same total"),
    OPTION(struct build_options, include_tracer, "include-tracer",
	   .help = "keep decisions for picknext's own tasks and on the tracer's CPU"),
    {.name = NULL},
};

static enum status check_task(const struct build_options *given, const struct operands *operands,
			      const struct row_kind *kind, struct error *err)
{
	const char *option = given->workload_rows_max                  ? "--max-rows-per-workload"
			     : given->trace_rows_max                   ? "--max-rows-per-trace"
			     : given->weights                          ? "--weights"
			     : given->include_tracer                   ? "--include-tracer"
			     : given->split.allowed & ALLOW_UNBALANCED ? "--allow unbalanced"
								       : NULL;

	if (!kind->has_roles && option)
		return error_set(err, STATUS_USAGE, option, "has no meaning with --task switch");
	if (given->split.hold_out && given->split.no_unseen_split)
		return error_set(err, STATUS_USAGE, "--hold-out", "and --no-unseen-split are mutually exclusive");
	if (kind->has_roles && strcmp(given->split.columns, "standard") != 0)
		return error_set(err, STATUS_USAGE, "--columns", "needs --task switch");
	if (given->raw_directory && operands->count)
		return error_set(err, STATUS_USAGE, "--raw-dir", "is not possible with directories as operands");
	return STATUS_OK;
}

/* Adds the arguments that repeat the build, without directories. */
static enum status add_words(const struct call *call, struct buffer *text, struct error *err)
{
	struct arguments words = {0};
	enum status status = options_select(call->command, call->words, OPTION_OF_CALL, &words, err);

	while (call->operands.count && words.count && strcmp(words.items[words.count - 1], "--") != 0)
		free(words.items[--words.count]);
	if (call->operands.count && words.count)
		free(words.items[--words.count]);
	arguments_quote(&words, " ", text);
	arguments_free(&words);
	return status;
}

static int run_build(const struct call *call)
{
	struct build_options *given = call->values;
	const struct row_kind *kind = row_kind_of(given->task);
	struct buffer words = {0};
	struct error err = {0};

	struct dataset_request request = split_options_request(&given->split);
	request.kind = kind;
	request.columns = kind->columns(given->split.columns);
	request.output_directory = given->output_directory;
	request.directories = call->operands.items;
	request.directory_count = call->operands.count;
	request.raw_directory = given->raw_directory;
	request.jobs = (unsigned int)given->jobs;
	request.workload_rows_max = given->workload_rows_max;
	request.trace_rows_max = given->trace_rows_max;
	request.include_tracer = given->include_tracer;
	request.has_weights = given->weights;
	interrupt_catch();
	enum status status = check_task(given, &call->operands, kind, &err);
	if (status == STATUS_OK)
		status = add_words(call, &words, &err);
	request.command = words.data;
	if (status == STATUS_OK)
		status = dataset_build_and_report(&request, &err);
	buffer_free(&words);
	return status == STATUS_OK ? 0 : message_error(&err);
}

const struct command command_build = {
    .name = "build",
    .summary = "make train and test CSV from raw traces",
    .operands = "[DIR...]",
    .operands_max = SIZE_MAX,
    .details =
	"Reads every NAME.dat and NAME.txt (the kernel's text trace) in the directory of raw traces, with NAME.json\n"
	"beside it if there is one, and writes train.csv, test_seen.csv, test_unseen.csv, all.csv and\n"
	"dataset_meta.json. Whole traces are split, never single events: with three or more categories, one is held\n"
	"out as test_unseen; of each other one, the share --train-ratio goes to train, the rest to test_seen. If\n"
	"test_seen of switches would be empty, the last training events are moved there, and the split is reported as\n"
	"leaky. DIR is a directory of runs, such as those that vm makes for each kernel (default: raw in the output\n"
	"directory).\n\n"
	"--columns extended adds next_prio, prev_pid, prev_prio, prev_runtime and wakeup_latency (seconds),\n"
	"waker_pid, waker_comm, migrated (0 or 1 since it last ran) and runnable_tasks (tasks that wait for the\n"
	"CPU, without the one switched in). Unknown values are empty. scheduler and extended,scheduler\n"
	"add the scheduler of the run: EEVDF, CFS, or the name of a sched_ext scheduler.\n\n"
	"--task pick makes one row per decision: a switch to a task that waited, with the tasks that waited for\n"
	"the CPU, what is known of each, and which was chosen. --task placement makes one row per wakeup, --task\n"
	"balance one per move of a waiting task to another CPU, --task keys one per pick with the scheduler's keys "
	"and\n"
	"the rule's choice (traces of --keys). In all of these, tasks have roles (name#number) instead of PIDs. The "
	"columns are in picknext help columns.\n\n"
	"--jobs reads traces side by side; the files are the same for every N. For data larger than one file,\n"
	"build a dataset per directory of traces.\n\n"
	"dataset_meta.json has each column's type, unit and meaning. To publish a dataset, workloads/models/card.py\n"
	"(Python) makes a dataset card, Croissant metadata and a CITATION.cff of it.\n\n"
	"A failed or interrupted build leaves the earlier dataset unchanged. build refuses (exit 5) traces that lost\n"
	"events without --allow lossy, runs whose command failed without --allow failed, and always traces whose\n"
	"JSON describes another trace.",
    .examples = "  picknext build -o traces                      # from traces/raw\n"
		"  picknext build -o set --raw-dir old/raw       # from elsewhere, old text traces too\n"
		"  picknext build --train-ratio 0.75 --split-seed 123  # another split\n"
		"  picknext build --columns extended             # 18 columns instead of 9\n"
		"  picknext build --task pick -o set out/6.1 out/6.12 --hold-out kernel=6.12",
    .options = build_options,
    .values_size = sizeof(struct build_options),
    .run = run_build,
};
