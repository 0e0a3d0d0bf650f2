/* SPDX-License-Identifier: MIT */
#include "cmd/vm/default_set.h"

#include <string.h>

/* In this order: the rules name the bugs of tests/bench/bugs soonest. Left out are pipeline, half_idle,
 * delayed_sleepers, cgroup_weights and rt_fifo: what the matrix of 6.12 and 7.3 finds in them, it finds in others too.
 * Those of category feature need an option. */
static const char *const names[] = {
    "light_pipelines",      "rt_overlap",        "rt_rr",         "deadline",
    "idle_and_batch",       "yield_beside_hogs", "custom_slices", "nice_levels",
    "periodic_beside_hogs", "cgroup_sleepers",   "cgroup_quota",  "affinity_churn",
    "cgroup_nested",        "signals",           "cgroup_slices", "rt_greedy",
    "idle_beside_busy",     "fork_storm",        "cgroup_burst",  "pinned_imbalance",
};

const char *vm_default_workload(size_t number)
{
	return number < sizeof(names) / sizeof(names[0]) ? names[number] : NULL;
}

bool workload_is_vm_default(const struct workload *workload)
{
	const char *name;

	for (size_t i = 0; (name = vm_default_workload(i)); i++)
		if (strcmp(workload->name, name) == 0)
			return true;
	return false;
}
