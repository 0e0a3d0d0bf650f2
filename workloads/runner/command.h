/* SPDX-License-Identifier: MIT
 *
 * Somebody else's program as a workload: started at the barrier like any task, and over when it ends. */
#ifndef WORKLOADS_RUNNER_COMMAND_H
#define WORKLOADS_RUNNER_COMMAND_H

#include "workloads/runner/workload.h"

/* The labels under which runs of a command stand in the dataset, and its arguments. They, and what description points
 * to, must outlive the workload. A command's exit status is its own affair: workload_wait() succeeds and tells it in
 * result->command_code. Only a program that cannot be run fails. */
void workload_of_command(struct workload *workload, const char *name, const char *category, const char *description,
			 char *const *arguments);

#endif
