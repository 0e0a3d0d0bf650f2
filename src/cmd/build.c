/* SPDX-License-Identifier: MIT */
#include "dataset/build.h"

#include <stddef.h>

#include "base/interrupt.h"
#include "base/message.h"
#include "cmd/commands.h"
#include "cmd/split_options.h"
#include "output/dataset_report.h"

struct build_options {
	const char *output_directory, *raw_directory;
	struct split_options split;
};

static const struct option build_options[] = {
    OPTION(struct build_options, output_directory, "output-dir", .letter = 'o', .argument = "DIR",
	   .help = "output directory of the dataset", .fallback = "traces"),
    OPTION(struct build_options, raw_directory, "raw-dir", .argument = "DIR",
	   .help = "directory of raw traces (default: raw in the output directory)"),
    SPLIT_OPTION_ROWS(struct build_options, split),
    {.name = NULL},
};

static int run(const struct call *call)
{
	struct build_options *given = call->values;
	struct dataset_summary summary;
	struct error err = {0};

	struct dataset_request request = split_options_request(&given->split);
	request.output_directory = given->output_directory;
	request.raw_directory = given->raw_directory;
	interrupt_catch();
	if (dataset_build_and_report(&request, &summary, &err) != STATUS_OK)
		return message_error(&err);
	return 0;
}

const struct command command_build = {
    .name = "build",
    .summary = "make train and test CSV from raw traces",
    .operands = "",
    .details =
	"Reads every NAME.dat and NAME.txt (the kernel's text trace) in the directory of raw traces, with NAME.json\n"
	"beside it if there is one, and writes train.csv, test_seen.csv, test_unseen.csv, all.csv and\n"
	"dataset_meta.json. Whole traces are split, never single events: with three or more categories, one is held\n"
	"out as test_unseen; of each other one the share of --train-ratio goes to train, the rest to test_seen. If\n"
	"test_seen would be empty, the last training events are moved there, and the split is reported as leaky.\n\n"
	"--columns extended adds next_prio, prev_pid, prev_prio, prev_runtime and wakeup_latency (seconds),\n"
	"waker_pid, waker_comm, migrated (0 or 1 since it last ran) and runnable_tasks (tasks that wait for the\n"
	"CPU, without the one switched in). Unknown values are empty.\n\n"
	"A failed or interrupted build leaves the earlier dataset as it was. Traces that lost events are refused\n"
	"(exit 5) unless --allow-lossy, runs whose command failed unless --allow-failed.",
    .examples = "  picknext build -o traces                      # from traces/raw\n"
		"  picknext build -o set --raw-dir old/raw       # from elsewhere, old text traces too\n"
		"  picknext build --train-ratio 0.75 --split-seed 123  # another split\n"
		"  picknext build --columns extended             # 18 columns instead of 9",
    .options = build_options,
    .values_size = sizeof(struct build_options),
    .run = run,
};
