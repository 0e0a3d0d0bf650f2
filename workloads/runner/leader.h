/* SPDX-License-Identifier: MIT
 *
 * The leader process of a run: a fresh session with nothing of the caller's in it, in which the workload makes its
 * tasks. */
#ifndef WORKLOADS_RUNNER_LEADER_H
#define WORKLOADS_RUNNER_LEADER_H

#include <sched.h>
#include <sys/types.h>

#include "workloads/runner/task.h"

/* For the child of a fork() by caller, with all signals blocked: leaves everything of the caller's behind, runs the
 * workload and ends the process, with exit code 0 where all of its tasks ended well. */
_Noreturn void leader_run(struct workload_tasks *tasks, const cpu_set_t *cpus, pid_t caller);

#endif
