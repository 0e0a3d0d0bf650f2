/* SPDX-License-Identifier: MIT */
#include "cmd/known_workloads.h"

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

enum status run_set_options_check(struct run_set_options *options, const struct operands *operands, struct error *err)
{
	enum status status = task_choice_check(&options->tasks, &(struct pass_options){0}, err);

	run_set_options_add_known(options);
	for (size_t i = 0; i < operands->count && status == STATUS_OK; i++) {
		struct plan_check check;
		status = plan_check_make(operands->items[i], PLAN_CHECK_RECORDS, &check, err);
		if (status == STATUS_OK)
			status = plan_check_agrees(&check, operands->items[i], err);
		if (status == STATUS_OK)
			status =
			    plan_check_complete(&check, operands->items[i], options->allowed & ALLOW_INCOMPLETE, err);
		plan_check_free(&check);
	}
	return status;
}

struct diff_workload known_tasks_of(const struct run *run)
{
	const struct workload *known = run->workload ? workload_find(run->workload) : NULL;
	const char *roles = run_task_names(run);

	return (struct diff_workload){.task_names = roles || !known ? roles : known->task_names,
				      .roots = run->roots,
				      .root_count = run->root_count};
}
