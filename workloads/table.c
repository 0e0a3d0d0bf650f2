/* SPDX-License-Identifier: MIT */
#include "workloads/table.h"

#include <string.h>

#include "base/nearest_name.h"
#include "workloads/rows.h"

#define POINTER(name) &(name),
const struct workload *const workload_table[] = {WORKLOAD_ROWS(POINTER) NULL};

#define TABLE_LENGTH (sizeof(workload_table) / sizeof(workload_table[0]))

const struct workload *workload_find(const char *name)
{
	for (size_t i = 0; workload_table[i]; i++)
		if (strcmp(workload_table[i]->name, name) == 0)
			return workload_table[i];
	return NULL;
}

static const char *nearest_workload(const char *misspelled)
{
	const char *names[TABLE_LENGTH];

	for (size_t i = 0; i < TABLE_LENGTH; i++)
		names[i] = workload_table[i] ? workload_table[i]->name : NULL;
	return nearest_name(misspelled, names);
}

enum status workload_require(const char *name, const char *where, const struct workload **workload, struct error *err)
{
	*workload = workload_find(name);
	if (*workload)
		return STATUS_OK;
	const char *near = nearest_workload(name);
	error_set(err, STATUS_USAGE, where, "unknown workload '%s'", name);
	if (near)
		return error_remedy(err, "did you mean '%s'? (picknext list shows all)", near);
	return error_remedy(err, "picknext list shows all");
}
