/* SPDX-License-Identifier: MIT
 *
 * Arithmetic without sleeps: the work of cpu_bound, and of the burners of io_mixed. */
#ifndef WORKLOADS_BURN_CPU_H
#define WORKLOADS_BURN_CPU_H

#include "workloads/runner/task.h"

/* The result of that many rounds of x = sin(x) * cos(x) + sqrt(|x| + 1), from x on. It stays between 0 and 3. */
double burn_rounds(double x, unsigned int rounds);

/* Computes such rounds until the run is over, and checks for its end after each loop of 1000 rounds. Returns 0,
 * or -1 after task_fail(). */
int burn_cpu(struct workload_tasks *tasks, uint64_t *rounds);

#endif
