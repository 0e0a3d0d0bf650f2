/* SPDX-License-Identifier: MIT */
#include "cmd/known_workloads.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/message.h"
#include "vm/plan/plan_check.h"
#include "workloads/table.h"

void run_set_options_add_known(struct run_set_options *options)
{
	static struct known_workload known[WORKLOADS_MAX];
	size_t count = 0;

	for (; workload_at(count) && count < WORKLOADS_MAX; count++)
		known[count] = (struct known_workload){.name = workload_at(count)->name,
						       .task_names = workload_at(count)->task_names,
						       .tasks = workload_at(count)->tasks};
	options->known = known;
	options->known_count = count;
}

/* The plans of the sets in the directory, or that of the set that it is: above is then what holds it. */
static enum status load_plan(const char *directory, struct plan *plan, char above[PATH_MAX], struct error *err)
{
	char path[PATH_MAX];
	enum status status = plan_load(directory, plan, err);

	snprintf(above, PATH_MAX, "%s", directory);
	if (status != STATUS_OK || plan->count || !realpath(directory, above))
		return status;
	char *name = strrchr(above, '/');
	status = file_join(path, sizeof(path), above, "plan.json", err);
	/* The traces of a set are in its raw. */
	if (status == STATUS_OK && !file_same(path, path) && strcmp(name, "/raw") == 0) {
		*name = '\0';
		status = file_join(path, sizeof(path), above, "plan.json", err);
	}
	if (status != STATUS_OK || !file_same(path, path))
		return status;
	status = plan_load_set(path, plan, err);
	/* Directories may have been renamed. */
	name = strrchr(above, '/');
	if (status != STATUS_OK || !name || name == above)
		return status;
	snprintf(plan->sets[0].name, sizeof(plan->sets[0].name), "%s", name + 1);
	*name = '\0';
	return STATUS_OK;
}

static enum status check_cells(const char *directory, bool allow, struct error *err)
{
	struct plan plan = {0};
	struct plan_check check = {0};
	char above[PATH_MAX];

	if (!file_is_directory(directory))
		return STATUS_OK;
	enum status status = load_plan(directory, &plan, above, err);
	if (status == STATUS_OK && plan.count)
		status = plan_check_make(&plan, above, false, &check, err);
	const size_t missing = check.states[CELL_MISSING] + check.states[CELL_FAILED];
	if (status == STATUS_OK && missing && allow) {
		message_warning("%s: %zu of %zu runs are missing", directory, missing, check.count);
	} else if (status == STATUS_OK && missing) {
		status = error_set(err, STATUS_LOST, directory, "%zu of %zu runs are missing", missing, check.count);
		error_remedy(err, "picknext check %.300s names them; --allow incomplete takes those that are there",
			     directory);
	}
	plan_check_free(&check);
	plan_free(&plan);
	return status;
}

enum status run_set_options_check(struct run_set_options *options, const struct operands *operands, struct error *err)
{
	enum status status = task_choice_check(&options->tasks, &(struct pass_options){0}, err);

	run_set_options_add_known(options);
	for (size_t i = 0; i < operands->count && status == STATUS_OK; i++)
		status = check_cells(operands->items[i], options->allowed & ALLOW_INCOMPLETE, err);
	return status;
}
