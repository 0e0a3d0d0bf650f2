/* SPDX-License-Identifier: MIT
 *
 * A mix as a workload: its tasks. */
#ifndef WORKLOADS_MIX_TASKS_H
#define WORKLOADS_MIX_TASKS_H

#include "workloads/mix.h"
#include "workloads/runner/workload.h"

/* Texts that a workload of a mix points to. */
struct mix_workload {
	struct mix mix;
	struct workload workload;
	char *parameters; /* the mix in words */
	char task_names[MIX_ROLES_MAX * MIX_NAME_SIZE];
};

/* Fills made->workload from made->mix with these labels. The labels must outlive it; *made must outlive its runs. */
void workload_of_mix(struct mix_workload *made, const char *name, const char *category, const char *description,
		     const char *exercises);
void mix_workload_free(struct mix_workload *made);

#endif
