/* SPDX-License-Identifier: MIT
 *
 * A program as a workload: it is held at the barrier like a task, and the run is over when it ends. */
#ifndef WORKLOADS_RUNNER_COMMAND_H
#define WORKLOADS_RUNNER_COMMAND_H

#include "workloads/runner/workload.h"

/* name and category are the labels of its runs in a dataset. The texts and arguments must outlive the workload. A
 * command with a nonzero exit status is not a failure: workload_wait() succeeds and result->command_code has the
 * status. A program that cannot be executed is a failure. */
void workload_of_command(struct workload *workload, const char *name, const char *category, const char *description,
			 char *const *arguments);

#endif
