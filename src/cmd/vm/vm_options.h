/* SPDX-License-Identifier: MIT
 *
 * The options of picknext vm: one table for the command line and for recipes (runs/recipe.h). */
#ifndef CMD_VM_VM_OPTIONS_H
#define CMD_VM_VM_OPTIONS_H

#include <stdbool.h>

#include "base/options.h"
#include "record/collection_request.h"
#include "runs/run.h"
#include "vm/launch/options.h"
#include "vm/plan/seed_list.h"

struct vm_options {
	struct option_list kernels, added, schedulers, reached;
	struct launch_options launch;
	bool dataset, no_results;
	uint32_t allowed; /* ALLOW_LOSSY, ALLOW_FAILED */
	uint64_t runs;    /* 0: not given */
	const char *seeds, *until, *boot;
	bool plan; /* do not boot */
	struct collection_request collection;
};

/* Option rows for a struct vm_options. */
extern const struct option vm_option_rows[];
/* Only for parsing recipes, and for choosing the words of a guest's job, which guest/job_request.h parses. */
extern const struct command vm_recipe_command;

/* Parses --guest, and refuses options that exclude each other. */
enum status vm_options_check(struct vm_options *options, struct error *err);
/* Sets the numbers of the runs, which are the seeds of deterministic guests. The mode must be known. workloads: number
 * in each run. */
enum status vm_options_runs(const struct vm_options *options, size_t workloads, struct seed_list *runs,
			    struct error *err);

#endif
