/* SPDX-License-Identifier: MIT */
#include "cmd/vm/default_set.h"

#include <stddef.h>
#include <string.h>

/* Those of category feature need an option. These mixes take a sixth of the time, and the matrix of 6.12 and 7.3 finds
 * nothing in them that it does not find in others. */
static const char *const left_out[] = {"pipeline", "delayed_sleepers", "cgroup_weights", "rt_fifo", NULL};

bool workload_is_vm_default(const struct workload *workload)
{
	for (const char *const *name = left_out; *name; name++)
		if (strcmp(workload->name, *name) == 0)
			return false;
	return workload->is_built_in_mix && strcmp(workload->category, "feature") != 0;
}
