/* SPDX-License-Identifier: MIT */
#include "cmd/known_workloads.h"

#include "compare/comparison_rows.h"
#include "workloads/table.h"

static bool wants_workload(const void *context, const char *workload)
{
	return comparison_is_chosen(context, workload);
}

enum status run_set_options_make(const struct option_list *patterns, const char *as, struct run_set_options *options,
				 struct error *err)
{
	static struct known_workload known[WORKLOADS_MAX];
	size_t count = 0;

	if (as && !*as)
		return error_set(err, STATUS_USAGE, NULL, "--as needs the name of a workload");
	for (; workload_at(count) && count < WORKLOADS_MAX; count++)
		known[count] = (struct known_workload){.name = workload_at(count)->name,
						       .task_names = workload_at(count)->task_names,
						       .tasks = workload_at(count)->tasks};
	*options = (struct run_set_options){
	    .workloads = known, .workload_count = count, .as = as, .wants = wants_workload, .context = patterns};
	return STATUS_OK;
}
