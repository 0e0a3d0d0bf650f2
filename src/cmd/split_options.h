/* SPDX-License-Identifier: MIT
 *
 * The options of the train/test split, written once for build, all and vm. */
#ifndef CMD_SPLIT_OPTIONS_H
#define CMD_SPLIT_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/options.h"
#include "data/dataset.h"
#include "data/row_kinds.h"
#include "data/switch_rows.h"
#include "record/collection_request.h"

struct split_options {
	double train_ratio;
	int64_t seed;
	bool no_unseen_split;
	uint32_t allowed;
	const char *hold_out; /* see traces_hold_out() */
	const char *columns;
};

/* The defaults of the rows below, for commands without them. */
#define SPLIT_DEFAULTS .train_ratio = 0.8, .seed = 42, .columns = "standard"

/* Rows of an option table; member is the struct split_options within type. */
#define SPLIT_OPTION_ROWS(type, member)                                                                                \
	OPTION(type, member.train_ratio, "train-ratio", .argument = "F",                                               \
	       .help = "share of each category's traces that goes to train.csv, 0 to 1", .fallback = "0.8",            \
	       .real_max = 1),                                                                                         \
	    OPTION(type, member.seed, "split-seed", .argument = "N",                                                   \
		   .help = "seed of the split; the same seed gives the same split", .fallback = "42"),                 \
	    OPTION(                                                                                                    \
		type, member.hold_out, "hold-out", .argument = "WHAT[=VALUE]",                                         \
		.help =                                                                                                \
		    "hold one category, workload, kernel, scheduler, number of cpus, or\nlabel (vm -k LABEL=IMAGE) "   \
		    "out for test_unseen.csv: VALUE, or a drawn one\n(default: a category, if there are three)"),      \
	    OPTION(type, member.no_unseen_split, "no-unseen-split",                                                    \
		   .help = "hold no category out for test_unseen.csv"),                                                \
	    OPTION_CHOICES(type, member.columns, "columns", CSV_LAYOUTS, .argument = "SET",                            \
			   .help = "set of columns: see picknext help columns", .fallback = "standard"),               \
	    OPTION(type, member.allowed, "allow", .argument = "WHAT,...", .choices = ALLOW_OF_DATASETS,                \
		   .help = "include what is refused otherwise, and report it in\n"                                     \
			   "dataset_meta.json: traces that lost events, runs whose command\n"                          \
			   "failed, decisions although a workload of test_seen.csv lacks a\n"                          \
			   "kernel or scheduler there")

/* Call it before a collection. STATUS_USAGE if none of its workloads has the category of --hold-out. */
static inline enum status split_options_check(const struct split_options *options,
					      const struct collection_request *request, struct error *err)
{
	const char *category = options->hold_out ? strchr(options->hold_out, '=') : NULL;

	if (!category || strncmp(options->hold_out, "category=", strlen("category=")) != 0)
		return STATUS_OK;
	for (size_t i = 0; i < request->workload_count; i++)
		if (strncmp(request->workloads[i]->category, category + 1, strlen(category + 1)) == 0)
			return STATUS_OK;
	error_set(err, STATUS_USAGE, "--hold-out", "no workload of this collection has the category '%s'",
		  category + 1);
	return error_remedy(err, "picknext list shows the categories");
}

/* The other members of the request are zeroed. */
static inline struct dataset_request split_options_request(const struct split_options *options)
{
	return (struct dataset_request){
	    .train_ratio = options->train_ratio,
	    .seed = options->seed,
	    .no_unseen_split = options->no_unseen_split,
	    .hold_out = options->hold_out,
	    .allowed = options->allowed,
	    .kind = &switch_rows,
	    .columns = switch_columns(options->columns),
	};
}

#endif
