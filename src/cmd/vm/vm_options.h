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

/* min < max: adaptive; both 0: not given. */
struct run_range {
	uint64_t min, max;
};

struct vm_options {
	struct option_list kernels, added, schedulers;
	struct launch_options launch;
	bool dataset, no_results;
	uint32_t allowed; /* ALLOW_LOSSY, ALLOW_FAILED */
	const char *runs, *seeds, *until, *cells;
	const char *plan; /* "text", "json" or NULL: boot */
	uint64_t budget_s;
	struct run_range range; /* of runs, after vm_options_check() */
	struct collection_request collection;
};

/* Rows for a struct vm_options. */
extern const struct option vm_option_rows[];
/* Only to parse recipes, and to choose the words of a guest's job, which guest/job_request.h parses. */
extern const struct command vm_recipe_command;

/* Parses --guest, and refuses options that exclude each other. */
enum status vm_options_check(struct vm_options *options, struct error *err);
/* With the mode chosen: the numbers of the runs, the seeds of deterministic guests. workloads: of each run. */
enum status vm_options_runs(const struct vm_options *options, size_t workloads, struct seed_list *runs,
			    struct error *err);

#endif
