/* SPDX-License-Identifier: MIT
 *
 * The workloads of a collection, chosen by name, and a command that is recorded like one. */
#ifndef RECORD_COLLECTION_CHOICE_H
#define RECORD_COLLECTION_CHOICE_H

#include "base/arguments.h"
#include "base/error.h"
#include "record/collection_plan.h"

#define COLLECTION_WORKLOADS_MAX 64

struct collection_wanted {
	const char *workloads; /* "a,b,exec:NAME"; NULL: the command, or else all workloads */
	const char *category;  /* of the command's runs */
	char *const *command;  /* NULL-terminated; NULL: none */
};

/* Storage of what the plan points to. */
struct collection_choice {
	const struct workload *workloads[COLLECTION_WORKLOADS_MAX];
	struct workload command;
	char command_name[64], command_line[512];
	char clock[32];
};

/* Sets plan->workloads and plan->workload_count. STATUS_USAGE names --workload and the wrong name. */
enum status collection_choose(const struct collection_wanted *wanted, struct collection_choice *choice,
			      struct collection_plan *plan, struct error *err);

/* In the words of a recipe: replaces the file of a mix by the mix, so that guests and other machines need no file. The
 * words have been read before. */
void collection_resolve_mixes(struct arguments *words);

#endif
