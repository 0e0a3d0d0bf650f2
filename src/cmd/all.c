/* SPDX-License-Identifier: MIT */
#include "base/message.h"
#include "cmd/collect.h"
#include "cmd/commands.h"
#include "cmd/dataset_report.h"
#include "cmd/list.h"
#include "cmd/split_options.h"

struct values {
	const char *output_directory;
	bool list_workloads;
	struct collection_options collection;
	struct split_options split;
};

static const struct option options[] = {
    OPTION(struct values, output_directory, "output-dir", .letter = 'o', .argument = "DIR",
	   .help = "write the traces to DIR/raw and the dataset to DIR", .fallback = "traces"),
    COLLECTION_OPTION_ROWS(struct values, collection),
    COLLECTION_SCRATCH_ROW(struct values, collection),
    SPLIT_OPTION_ROWS(struct values, split),
    OPTION(struct values, list_workloads, "list-workloads", .help = "list the workloads and exit"),
    {.name = NULL},
};

static enum status collect_and_build(const struct values *values, unsigned int *failed, struct error *err)
{
	struct dataset_summary summary;
	const struct dataset_request request = {
	    .output_directory = values->output_directory,
	    .train_ratio = values->split.train_ratio,
	    .seed = values->split.seed,
	    .no_unseen_split = values->split.no_unseen_split,
	    .allow_lossy = values->split.allow_lossy,
	    .extended = strcmp(values->split.columns, "extended") == 0,
	};
	enum status status = collect_with_progress(values->output_directory, &values->collection, failed, err);

	return status == STATUS_OK ? dataset_build_and_report(&request, &summary, err) : status;
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
	    collect_and_build(&values, &failed, &err) != STATUS_OK)
		return message_error(&err);
	return failed ? COLLECT_EXIT_FAILED : 0;
}

const struct command command_all = {
    .name = "all",
    .summary = "collect, then build, in one go (root)",
    .operands = "[-- COMMAND...]",
    .most_operands = SIZE_MAX,
    .details = "Runs collect and then build: writes DIR/raw/*.dat and *.json, then train.csv,\n"
	       "test_seen.csv, test_unseen.csv, all.csv and dataset_meta.json from everything in DIR/raw.",
    .examples = "  sudo picknext all -o traces                 # all workloads, 3 runs each, then the dataset\n"
		"  sudo picknext all -o traces --scale 0.1     # a tenth of the work\n"
		"  sudo picknext all -w cpu_bound_4p,io_mixed --no-unseen-split",
    .options = options,
    .run = run,
};
