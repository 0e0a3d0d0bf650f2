/* SPDX-License-Identifier: MIT */
#include "dataset/build.h"

#include <stddef.h>

#include "base/interrupt.h"
#include "base/message.h"
#include "cmd/commands.h"
#include "cmd/dataset_report.h"

struct build_options {
	const char *output_directory, *raw_directory;
	double train_ratio;
	int64_t seed;
	bool no_unseen_split, allow_lossy;
};

static const struct option build_options[] = {
    {.name = "output-dir",
     .letter = 'o',
     .kind = OPTION_TEXT,
     .offset = offsetof(struct build_options, output_directory),
     .argument = "DIR",
     .help = "where the dataset is written",
     .fallback = "traces"},
    {.name = "raw-dir",
     .kind = OPTION_TEXT,
     .offset = offsetof(struct build_options, raw_directory),
     .argument = "DIR",
     .help = "where the raw traces are (default: raw in the output directory)"},
    {.name = "train-ratio",
     .kind = OPTION_REAL,
     .offset = offsetof(struct build_options, train_ratio),
     .argument = "F",
     .help = "share of each category's traces that goes to train.csv, 0 to 1",
     .fallback = "0.8",
     .real_most = 1},
    {.name = "seed",
     .kind = OPTION_SIGNED,
     .offset = offsetof(struct build_options, seed),
     .argument = "N",
     .help = "seed of the split; the same seed gives the same split",
     .fallback = "42"},
    {.name = "no-unseen-split",
     .kind = OPTION_FLAG,
     .offset = offsetof(struct build_options, no_unseen_split),
     .help = "hold no category out for test_unseen.csv"},
    {.name = "allow-lossy",
     .kind = OPTION_FLAG,
     .offset = offsetof(struct build_options, allow_lossy),
     .help = "take traces that lost events, and mark them in dataset_meta.json"},
    {.name = NULL},
};

static int run(const struct command *command, int argc, char **argv)
{
	struct build_options given = {0};
	struct operands operands;
	struct dataset_summary summary;
	struct error err = {0};

	if (options_parse(command, &given, argc, argv, &operands, &err) != STATUS_OK)
		return message_error(&err);
	if (operands.help) {
		options_help(command);
		return 0;
	}
	const struct dataset_request request = {
	    .output_directory = given.output_directory,
	    .raw_directory = given.raw_directory,
	    .train_ratio = given.train_ratio,
	    .seed = given.seed,
	    .no_unseen_split = given.no_unseen_split,
	    .allow_lossy = given.allow_lossy,
	};
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
	"beside it where there is one, and writes train.csv, test_seen.csv, test_unseen.csv, all.csv and\n"
	"dataset_meta.json. Whole traces are split, never single events: with three categories or more one is held\n"
	"out as test_unseen; of each other one the share of --train-ratio goes to train, the rest to test_seen.\n"
	"Where that leaves test_seen empty, the end of the training events is taken for it, and said to be leaky.\n\n"
	"A failed or interrupted build leaves the earlier dataset as it was. Traces that lost events are refused\n"
	"(exit 5) unless --allow-lossy.",
    .examples = "  picknext build -o traces                      # from traces/raw\n"
		"  picknext build -o set --raw-dir old/raw       # from elsewhere, old text traces too\n"
		"  picknext build --train-ratio 0.75 --seed 123  # another split",
    .options = build_options,
    .run = run,
};
