/* SPDX-License-Identifier: MIT
 *
 * The leader process of a run, in which the workload makes its tasks: in a session of its own, without the files and
 * signal handlers of the caller. */
#ifndef WORKLOADS_RUNNER_LEADER_H
#define WORKLOADS_RUNNER_LEADER_H

#include <sched.h>
#include <sys/types.h>

#include "workloads/runner/task.h"

/* For the child of a fork() by caller, with all signals blocked: drops everything inherited from the caller, runs the
 * workload and exits, with exit code 0 if all of its tasks succeeded. */
_Noreturn void leader_run(struct workload_tasks *tasks, const struct workload_request *request, pid_t caller);

#endif
