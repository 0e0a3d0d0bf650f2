/* SPDX-License-Identifier: MIT */
#include "workloads/table.h"

#include <string.h>

#include "base/options.h"
#include "workloads/descriptors.h"

const struct workload *const workload_table[] = {
    &hackbench_pipe_small,
    &hackbench_pipe_large,
    &hackbench_socket_small,
    &hackbench_socket_large,
    &sysbench_cpu_4t,
    &sysbench_cpu_8t,
    &sysbench_threads_8t,
    &sysbench_threads_16t,
    &sysbench_memory_4t,
    &cpu_bound_4p,
    &cpu_bound_8p,
    &io_mixed,
    NULL,
};

#define TABLE_LENGTH (sizeof(workload_table) / sizeof(workload_table[0]))

const struct workload *workload_find(const char *name)
{
	for (size_t i = 0; workload_table[i]; i++)
		if (strcmp(workload_table[i]->name, name) == 0)
			return workload_table[i];
	return NULL;
}

const char *workload_nearest_name(const char *misspelled)
{
	const char *names[TABLE_LENGTH];

	for (size_t i = 0; i < TABLE_LENGTH; i++)
		names[i] = workload_table[i] ? workload_table[i]->name : NULL;
	return nearest_name(misspelled, names);
}
